"""Which repository an item belongs to, and its scopes and links as paths of the hub. Pure.

In a checkout an item is about "project", a path or a symbol; in the hub every path begins with the
name of its repository, and what is about a whole repository is about that folder.
"""

from collections.abc import Callable, Sequence

from msgspec import structs

from satchel.knowledge.model import Item, Link
from satchel.knowledge.scopes import PATH, PROJECT, SYMBOL


def outward(item: Item, links: Sequence[Link], repository: str) -> tuple[Item, list[Link]]:
    """An item of a repository as the hub shows it."""
    if not repository:
        return item, list(links)
    scope = repository if item.scope == PROJECT else _in_repository(item.scope, repository)
    shown = [
        structs.replace(link, dst=_moved(link.dst, _in_repository, repository)) for link in links
    ]
    return structs.replace(item, scope=scope), shown


def inward(item: Item, links: Sequence[Link], repository: str) -> tuple[Item, list[Link]]:
    """The item as its repository has it; undoes `outward`."""
    if not repository:
        return item, list(links)
    scope = PROJECT if item.scope == repository else _without_repository(item.scope, repository)
    kept = [
        structs.replace(link, dst=_moved(link.dst, _without_repository, repository))
        for link in links
    ]
    return structs.replace(item, scope=scope), kept


def repository_of(scope: str, names: Sequence[str]) -> str:
    """The repository that a scope lies in, the longest name of those that fit; "" for none."""
    path = scope.removeprefix(SYMBOL) if "#" in scope else scope
    fitting = [name for name in names if f"{path}/".startswith(f"{name}/")]
    return max(fitting, key=len, default="")


def _in_repository(scope: str, repository: str) -> str:
    # "symbol:Name" is about a name wherever it is defined; with a "#" it names the file as well.
    if scope.startswith(SYMBOL):
        return f"{SYMBOL}{repository}/{scope[len(SYMBOL) :]}" if "#" in scope else scope
    return f"{repository}/{scope}"


def _without_repository(scope: str, repository: str) -> str:
    mark = SYMBOL if scope.startswith(SYMBOL) else ""
    return mark + scope.removeprefix(mark).removeprefix(f"{repository}/")


def _moved(target: str, change: Callable[[str, str], str], repository: str) -> str:
    """The target of a link with its path or symbol changed, if it has one."""
    if target.startswith(PATH):
        return PATH + change(target[len(PATH) :], repository)
    return change(target, repository) if target.startswith(SYMBOL) else target
