"""What was demonstrated against Satchel before it had this suite, and the scenes that show it.

`python -m bench.robustness.hostile --demonstrations` plays these; with `SATCHEL_TEST_SOURCE` naming
a source tree of before, they are red.
"""

DEMONSTRATIONS: dict[str, tuple[str, ...]] = {
    "1 modules of the checkout run in the gateway, and PYTHONPATH travels to upstreams": (
        "satchel/__init__.py and a gateway", "subprocess.py and a gateway",
        "an upstream's folder and PYTHONPATH",
    ),
    "2 doctor runs what a repository's .mcp.json names": (
        "doctor and setup with a command", "doctor and its own satchel", "doctor and a shell",
    ),
    "3 links in .satchel are followed, and written or deleted through": (
        "links: packs leads to a folder of the user",
        "links: .satchel leads to a folder of the user", "links: knowledge",
        "a baseline that is a link is written",
    ),
    "4 a repository's .env leads Chroma to another host": (
        "Chroma and a .env with a host", 'vectors.engine = "chroma"',
    ),
    "5 CI recipes run pip inside of the checkout": (
        "a module called pip and the action", "a module called pip and the pipeline",
    ),
    "6 a shipped index or knowledge is believed": (
        "a shipped index whose text is not the file's",
        "shipped knowledge with false items", "shipped knowledge with a trigger",
        "shipped knowledge with a view",
    ),
    "7 a .satchel in a shared parent gets source and notes; files are readable by others": (
        "a .satchel planted above", "modes of what is written",
    ),
    "8 names, section names and upstreams speak as Satchel, or to the terminal": (
        "names in context", "a configuration with ESC in a section's name",
        "an upstream's result",
    ),
    "9 a repository sets limits, privacy and actor, and asks .env back": (
        "index.workers = 64", "index.memory_mb = 65536", 'knowledge.privacy = "public"',
        'knowledge.actor = "the boss"', ".satchelignore asks for .env",
    ),
    "10 a home folder is indexed unasked, credentials included": (
        "`satchel context` in a home folder", "a home folder that the user confirmed",
        ".netrc by its name", ".aws/credentials by its name", ".ssh/id_rsa by its name",
    ),
    "11 a small row grows to gigabytes": (
        "a decompression bomb in source", "a decompression bomb in facts",
    ),
    "12 devices, pipes and links are read for ever or followed": (
        ".satchel/config.toml is a link to a device", ".satchel/config.toml is a pipe",
        "a link out in a folder that is imported",
    ),
    "13 60,000 ignore patterns take a minute": (
        "60,000 ignore patterns between stars", "60,000 ignore patterns without plain text",
        "tracked files under rules that exhaust git",
    ),
    "14 redacting 300 kB takes most of a minute": ("300 kB of x- to redact",),
    "15 idle connections block the port": ("300 connections that send nothing",),
}  # fmt: skip
