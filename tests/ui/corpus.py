"""Projects that the page is tried on: a small shop, and one whose every name is an attack."""

import subprocess
from pathlib import Path

SHOP = {
    "shop/signals.py": '''
class Signal:
    """An event that receivers can connect to."""

    def __init__(self):
        self.receivers = []

    def connect(self, receiver):
        """Have a receiver called whenever the signal is sent."""
        self.receivers.append(receiver)

    def send(self, sender, **named):
        """Dispatch the signal: call each receiver and collect what it returns."""
        return [(receiver, receiver(sender, **named)) for receiver in self.receivers]


paid = Signal()
''',
    "shop/orders.py": '''
from shop.signals import Signal, paid


class Order:
    """What a customer wants."""

    def __init__(self, total):
        self.total = total

    def pay(self, method):
        """Pay the order and tell whoever listens."""
        charge(self.total, method)
        paid.send(self)

    def cancel(self):
        """Give the money back."""
        refund(self.total)


def charge(total, method):
    """Take the money."""
    return method.take(total)


def refund(total):
    """Give the money back to the customer."""
    return -total
''',
    "shop/main.py": '''
from shop.orders import Order
from shop.signals import paid


def main():
    """Sell one thing."""
    paid.connect(print)
    Order(12).pay(Card())


class Card:
    """A card that always works."""

    def take(self, total):
        """Take money from the card."""
        return total


if __name__ == "__main__":
    main()
''',
    "tests/test_orders.py": """
from shop.main import Card
from shop.orders import Order, refund


def test_an_order_is_paid():
    Order(3).pay(Card())


def test_money_comes_back():
    assert refund(3) == -3
""",
    "web/cart.ts": """
export class Cart {
  private items: string[] = [];

  add(item: string): void {
    this.items.push(item);
  }

  count(): number {
    return this.items.length;
  }
}
""",
    "README.md": "# Shop\n\nSells things. A signal tells whoever listens that an order is paid.\n",
    "broken.py": "def half(:\n    return )]\n",
    "shop/logo.bin": "\0\1\2",
}

CROWD_SIZE = 420


def crowd() -> dict[str, str]:
    """A function that more others call than a drawing has room for, and two files in a circle."""
    files = {
        f"crowd/part{k // 20:02}/caller{k}.py": (
            "from crowd.centre import centre\n\n\n"
            f"def caller{k}(order):\n    return centre(order)\n"
        )
        for k in range(CROWD_SIZE)
    }
    files["crowd/centre.py"] = (
        "from crowd.ground import ground\n\n\ndef centre(order):\n    return ground(order)\n"
    )
    files["crowd/ground.py"] = (
        "from crowd import centre\n\n\ndef ground(order):\n    return order or centre.centre(1)\n"
    )
    return files


_ALERT = "<script>window.hacked=1</script>"
_IMAGE = "<img src=x onerror=window.hacked=1>"
_DRAWING = "<svg onload=window.hacked=1>"
HOSTILE = {
    f"{_IMAGE}.py": f'''
def steal(money):
    """{_ALERT} {_DRAWING} ‮ backwards ⁦ isolated"""
    return "{_IMAGE}", "</pre></code>{_ALERT}"
''',
    "java‮gpj.py": '''
from other import steal


def reversed_name():
    """Steal the money ​ with a zero width space."""
    return steal("</script><script>window.hacked=1</script>")
''',
    "other/__init__.py": '''
def steal(money):
    """javascript:window.hacked=1 `${window.hacked=1}` {{constructor.constructor('hacked=1')()}}"""
    return money


class x_onmouseover_hacked:
    """&lt;script&gt;window.hacked=1&lt;/script&gt;"""

    def steal(self):
        return steal(self)
''',
    "web/a.js": f"""
/** {_IMAGE} */
export function steal(money) {{
  return `</script>{_ALERT}${{money}}`;
}}
""",
    "web/b.html": f"<p onclick=window.hacked=1>{_ALERT}{_DRAWING}</p>\n",
    f"docs/{_DRAWING}.md": f"# {_ALERT}\n\nHow to steal money [here](javascript:window.hacked=1)\n",
}


def written(root: Path, files: dict[str, str]) -> Path:
    """Writes a project and commits it, so that it has a history."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.lstrip("\n"), encoding="utf-8")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "everything")
    return root


def git(root: Path, *arguments: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)
