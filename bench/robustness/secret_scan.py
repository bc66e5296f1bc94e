"""How many secrets `validate` (V050) finds, and how often it cries wolf.

    python -m bench.robustness.secret_scan labelled [--each 100] [--seed 1]
    python -m bench.robustness.secret_scan trees DIR …

`labelled` makes keys up in the formats that their issuers publish, puts each into a line as people
write them, and counts per kind how many are found; then the same for what looks alike and is none.
The makers below know nothing of the rules in `satchel/store/secrets.py`. `trees` scans the text
files of real code bases: what would fail a run is listed by place for a person to judge, what lies
in tests, examples and documents is counted. No key is printed.
"""

from __future__ import annotations

import argparse
import base64
import string
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from bench.nothing import require
from satchel.indexer.languages import detect
from satchel.indexer.scan.classify import classify
from satchel.indexer.scan.test_paths import is_test_path
from satchel.store.model import RepoPath
from satchel.store.secrets import redacted, scan
from satchel.validation.checks.secrets import is_harmless

_HEX, _UPPER, _DIGITS = "0123456789abcdef", string.ascii_uppercase, string.digits
_ALNUM = string.ascii_letters + string.digits
_URL = _ALNUM + "-_"
_BASE32 = _UPPER + "234567"
_MAX_BYTES = 1 << 20
Maker = Callable[[Random], str]


def _any(random: Random, alphabet: str, n: int) -> str:
    return "".join(random.choices(alphabet, k=n))


def _after(prefix: str, alphabet: str, n: int, suffix: str = "") -> Maker:
    return lambda random: prefix + _any(random, alphabet, n) + suffix


def _base64(random: Random, n_bytes: int) -> str:
    return base64.b64encode(random.randbytes(n_bytes)).decode()


def _pem(what: str) -> Maker:
    def make(random: Random) -> str:
        text = "MII" + _base64(random, 600)
        lines = "\n".join(text[i : i + 64] for i in range(0, len(text), 64))
        return f"-----BEGIN {what}-----\n{lines}\n-----END {what}-----"

    return make


def _uuid(random: Random) -> str:
    return "-".join(_any(random, _HEX, n) for n in (8, 4, 4, 4, 12))


SECRETS: dict[str, Maker] = {
    "AWS access key": _after("AKIA", _BASE32, 16),
    "AWS temporary access key": _after("ASIA", _BASE32, 16),
    "AWS secret access key": lambda r: f"aws_secret_access_key = {_any(r, _ALNUM + '+/', 40)}",
    "GitHub personal token": _after("ghp_", _ALNUM, 36),
    "GitHub app token": _after("ghs_", _ALNUM, 36),
    "GitHub fine-grained": lambda r: f"github_pat_{_any(r, _ALNUM, 22)}_{_any(r, _ALNUM, 59)}",
    "GitLab token": _after("glpat-", _URL, 20),
    "Slack bot token": lambda r: (
        f"xoxb-{_any(r, _DIGITS, 12)}-{_any(r, _DIGITS, 12)}-{_any(r, _ALNUM, 24)}"
    ),
    "Slack app token": lambda r: (
        f"xapp-1-A{_any(r, _UPPER + _DIGITS, 10)}-{_any(r, _DIGITS, 13)}-{_any(r, _HEX, 64)}"
    ),
    "Slack webhook": lambda r: (
        f"https://hooks.slack.com/services/T{_any(r, _UPPER + _DIGITS, 10)}"
        f"/B{_any(r, _UPPER + _DIGITS, 10)}/{_any(r, _ALNUM, 24)}"
    ),
    "Google API key": _after("AIza", _URL, 35),
    "Stripe live key": _after("sk_live_", _ALNUM, 24),
    "Stripe restricted key": _after("rk_live_", _ALNUM, 99),
    "OpenAI key": lambda r: f"sk-proj-{_any(r, _URL, 74)}T3BlbkFJ{_any(r, _URL, 74)}",
    "Anthropic key": lambda r: f"sk-ant-api03-{_any(r, _URL, 93)}AA",
    "npm token": _after("npm_", _ALNUM, 36),
    "PyPI token": _after("pypi-AgEIcHlwaS5vcmc", _URL, 150),
    "SendGrid key": lambda r: f"SG.{_any(r, _URL, 22)}.{_any(r, _URL, 43)}",
    "DigitalOcean token": _after("dop_v1_", _HEX, 64),
    "Hugging Face token": _after("hf_", string.ascii_letters, 34),
    "Shopify token": _after("shpat_", _HEX, 32),
    "Databricks token": _after("dapi", _HEX, 32),
    "Vault token": _after("hvs.", _URL, 91),
    "age key": _after("AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "Azure storage key": lambda r: f"AccountName=shop;AccountKey={_base64(r, 64)}",
    "Twilio key": _after("SK", _HEX, 32),
    "Telegram bot token": lambda r: f"{_any(r, '123456789', 10)}:AA{_any(r, _URL, 33)}",
    "Mailgun key": _after("key-", _HEX, 32),
    "Square token": _after("sq0atp-", _URL, 22),
    "Atlassian token": lambda r: f"ATATT3xFfGF0{_any(r, _URL, 171)}={_any(r, _HEX.upper(), 8)}",
    "Grafana token": lambda r: f"glsa_{_any(r, _ALNUM, 32)}_{_any(r, _HEX, 8)}",
    "New Relic key": _after("NRAK-", _UPPER + _DIGITS, 27),
    "Postman key": lambda r: f"PMAK-{_any(r, _HEX, 24)}-{_any(r, _HEX, 34)}",
    "Linear key": _after("lin_api_", _ALNUM, 40),
    "PlanetScale token": _after("pscale_tkn_", _URL, 43),
    "Pulumi token": _after("pul-", _HEX, 40),
    "Doppler token": _after("dp.pt.", _ALNUM, 43),
    "Terraform token": lambda r: f"{_any(r, _ALNUM, 14)}.atlasv1.{_any(r, _URL, 67)}",
    "RSA private key": _pem("RSA PRIVATE KEY"),
    "OpenSSH private key": _pem("OPENSSH PRIVATE KEY"),
    "PKCS 8 key in JSON": lambda r: _pem("PRIVATE KEY")(r).replace("\n", "\\n"),
    "password in an address": lambda r: (
        f"postgres://shop:{_any(r, _ALNUM + '!%*', 16)}@db.internal/shop"
    ),
    "password assigned": lambda r: f"password: {_any(r, _ALNUM + '!#%', 16)}",
    "JSON web token": lambda r: (
        f"eyJhbGciOiJIUzI1NiJ9.{_any(r, _URL, 90)}.{_any(r, _URL, 43)}"
    ),
}  # fmt: skip
HARMLESS: dict[str, Maker] = {
    "commit": _after("", _HEX, 40),
    "SHA-256": _after("sha256:", _HEX, 64),
    "integrity of a package": lambda r: f"sha512-{_base64(r, 64)}",
    "UUID": _uuid,
    "base64 of a picture": lambda r: f"data:image/png;base64,{_base64(r, 900)}",
    "certificate": _pem("CERTIFICATE"),
    "public key": _pem("PUBLIC KEY"),
    "key of a test mode": _after("sk_test_", _ALNUM, 24),
    "key that is public": _after("pk_live_", _ALNUM, 24),
    "account id": _after("AC", _HEX, 32),
    "OAuth client id": lambda r: (
        f"{_any(r, _DIGITS, 12)}-{_any(r, _HEX, 32)}.apps.googleusercontent.com"
    ),
    "prefix inside a word": lambda r: f"{_any(r, _ALNUM, 5)}AKIA{_any(r, _BASE32, 30)}",
    "example in a manual": lambda r: r.choice(
        ("AKIAIOSFODNN7EXAMPLE", "ghp_" + "x" * 36, "sk_live_your_secret_key_goes_here",
         "glpat-xxxxxxxxxxxxxxxxxxxx", "AIza" + "0" * 35, "xoxb-1234-1234-your-token-goes-here",
         "npm_" + "a" * 36, "SG." + "x" * 22 + "." + "y" * 43, "key-" + "0123456789abcdef" * 2,
         "hf_" + "a" * 34, "postgres://user:password@localhost/db",
         "https://user:${PASSWORD}@example.org/", "postgres://user:<password-of-it>@db/shop"),
    ),
    "variable": lambda r: f"token = os.environ['{_any(r, _UPPER, 20)}_TOKEN']",
    "identifier": lambda r: f"pul-{_any(r, string.ascii_lowercase, 12)}-{_any(r, _DIGITS, 4)}",
    "address with a port": lambda r: f"redis://cache-{_any(r, _HEX, 12)}.internal:6379/0",
}  # fmt: skip
_LINES = (
    'TOKEN = "{}"', "export TOKEN={}", "token: {}", '  "token": "{}",', "curl -H 'X-Key: {}' host",
    "# {}", "<key>{}</key>", "const t = `{}`;", "val={}&next=1", "{}",
)  # fmt: skip


_PAIRS = (
    'AWS_ACCESS_KEY_ID="{0}"\nAWS_SECRET="{1}"', '{{"accessKeyId": "{0}", "secretKey": "{1}"}}',
    "key_id: {0}\nsecret: {1}", "client(key='{0}', secret_access_key='{1}')",
    "password = '{1}'\n# for {0}", "<id>{0}</id>\nexport API_TOKEN={1}",
)  # fmt: skip
BESIDE: dict[str, Maker] = {
    "40 characters of base 64": lambda r: _any(r, _ALNUM + "+/", 40),
    "32 digits of base 16": lambda r: _any(r, _HEX, 32),
    "24 letters and digits": lambda r: _any(r, _ALNUM, 24),
    "16 characters of a password": lambda r: _any(r, _ALNUM + "!#%", 16),
}
"""Secrets without a format that stand beside an AWS access key."""
HARMLESS_BESIDE: dict[str, Maker] = {
    "name of a secret": lambda r: f"secret_name = 'prod/db-{_any(r, _DIGITS, 2)}/credentials'",
    "file of a key": lambda r: f"key_file: /run/secrets/db_key_{_any(r, _DIGITS, 4)}",
    "variable": lambda r: f"token = os.environ['SHOP_TOKEN_{_any(r, _UPPER, 9)}2']",
    "attribute": lambda r: f"secret = settings.v2.{_any(r, string.ascii_lowercase, 12)}_1",
    "commit": lambda r: f"commit = '{_any(r, _HEX, 40)}'",
    "digest": lambda r: f"sha256: {_any(r, _HEX, 64)}",
    "bucket": lambda r: f"bucket = 'shop-{_any(r, _HEX, 12)}-eu-central-1'",
    "words": lambda r: "token: the-one-of-the-sandbox-account",
}  # fmt: skip


def beside(each: int, seed: int) -> tuple[Counter[str], Counter[str]]:
    """(taken out of each kind that stands beside a key, harmless texts taken out of each kind)."""
    random = Random(seed)
    found, cried = Counter[str](), Counter[str]()
    for _ in range(each):
        key = SECRETS["AWS access key"](random)
        for kind, make in BESIDE.items():
            secret = make(random)
            text = random.choice(_PAIRS).format(key, secret)
            found[kind] += secret.encode() not in redacted(text.encode())
        for kind, make in HARMLESS_BESIDE.items():
            line = make(random)
            cried[kind] += line.encode() not in redacted(f"key_id = '{key}'\n{line}\n".encode())
    return found, cried


def labelled(each: int, seed: int) -> tuple[Counter[str], Counter[str]]:
    """(found of each kind of secret, cried at of each kind of harmless text), of `each` made."""
    random = Random(seed)
    found, cried = Counter[str](), Counter[str]()
    for counts, kinds in ((found, SECRETS), (cried, HARMLESS)):
        for kind, make in kinds.items():
            for _ in range(each):
                line = random.choice(_LINES).replace("{}", make(random))
                counts[kind] += any(scan(f"import os\n\n{line}\n".encode()))
    return found, cried


def _labelled(args: argparse.Namespace) -> None:
    found, cried = labelled(args.each, args.seed)
    print(f"| secrets, {args.each} each | found |\n|---|--:|")
    for kind in SECRETS:
        print(f"| {kind} | {found[kind] / args.each:.2f} |")
    print(f"| all {len(SECRETS)} kinds | {found.total() / args.each / len(SECRETS):.3f} |")
    print(f"\n| harmless, {args.each} each | cried |\n|---|--:|")
    for kind in HARMLESS:
        print(f"| {kind} | {cried[kind] / args.each:.2f} |")
    print(f"| all {len(HARMLESS)} kinds | {cried.total() / args.each / len(HARMLESS):.3f} |")

    for title, counts in zip(("beside a key", "harmless beside one"),
                             beside(args.each, args.seed), strict=True):  # fmt: skip
        print(f"\n| {title}, {args.each} each | taken out |\n|---|--:|")
        for kind in BESIDE if title == "beside a key" else HARMLESS_BESIDE:
            print(f"| {kind} | {counts[kind] / args.each:.2f} |")


def _trees(args: argparse.Namespace) -> None:
    n_files = n_bytes = n_warned = n_noted = 0
    for root in args.folders:
        for path, data in _texts(root):
            n_files, n_bytes = n_files + 1, n_bytes + len(data)
            found = list(scan(data))
            if not found:
                continue
            language = detect.detect(path, data[:4096]).name
            if is_harmless(path, language, is_test=is_test_path(path, language, ())):
                n_noted += len(found)
                continue
            n_warned += len(found)
            for line, rule in found:
                print(f"{root.name}/{path}:{line} {rule}")
    require(n_files, "text in any tree")
    print(
        f"{len(args.folders)} trees, {n_files:,} files, {n_bytes / 1e6:.0f} MB: {n_warned} would"
        f" fail, {n_noted} in tests, examples and documents are only said"
    )


def _texts(root: Path) -> Iterator[tuple[RepoPath, bytes]]:
    """What an index would hold, near enough: text that is not generated, by path."""
    for path in sorted(root.rglob("*")):
        if ".git" in path.parts or path.is_symlink() or not path.is_file():
            continue
        if path.stat().st_size <= _MAX_BYTES:
            name, data = RepoPath(path.relative_to(root).as_posix()), path.read_bytes()
            if classify(name, data, _MAX_BYTES) is None:
                yield name, data


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    what = parser.add_subparsers(required=True)
    fixture = what.add_parser("labelled")
    fixture.add_argument("--each", type=int, default=100)
    fixture.add_argument("--seed", type=int, default=1)
    fixture.set_defaults(run=_labelled)
    trees = what.add_parser("trees")
    trees.add_argument("folders", type=Path, nargs="+")
    trees.set_defaults(run=_trees)
    args = parser.parse_args()
    args.run(args)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
