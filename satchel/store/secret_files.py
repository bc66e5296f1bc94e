"""Which file names say that a file holds credentials. Pure; for contents see `store.secrets`.

Apart from the patterns over contents, because every walk asks this of every path.
"""

_FILES: dict[str, str] = {
    **dict.fromkeys((".env", ".envrc"), "environment"),
    **dict.fromkeys((".netrc", "_netrc", ".git-credentials", ".authinfo", ".pgpass", ".my.cnf",
                     ".htpasswd", ".pypirc", ".dockercfg", ".vault-token", ".s3cfg", ".boto",
                     "credentials.json", "client_secret.json", ".credentials.json",
                     "application_default_credentials.json"), "credentials"),
    **dict.fromkeys(("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk",
                     "ssh_host_rsa_key", "ssh_host_ecdsa_key", "ssh_host_ed25519_key",
                     "master.key", "secring.gpg"), "private key"),
}  # fmt: skip
_ENDINGS: dict[str, str] = {
    **dict.fromkeys((".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".keytab", ".p8"),
                    "private key"),
    **dict.fromkeys((".tfstate", ".tfstate.backup"), "state with credentials"),
}  # fmt: skip
_PLACES = (
    ".aws/credentials", ".docker/config.json", ".kube/config", ".config/gh/hosts.yml",
    ".config/hub", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials",
    ".azure/accesstokens.json", ".config/gcloud/credentials.db",
    ".terraform.d/credentials.tfrc.json",
)  # fmt: skip
"""Ends of paths."""
# Every walk asks of every path: `endswith` takes all of them at once, a tenth of a loop's time.
_PLACE_ENDINGS = tuple(f"/{place}" for place in _PLACES)
_NAME_ENDINGS = tuple(_ENDINGS)
_SAMPLES = ("example", "sample", "template", "dist", "defaults", "schema", "tpl")


def file_kind(path: str) -> str:
    """What a file is that holds credentials by its very name, "" for any other.

    `path` is relative to what is indexed. `.env.local` is one, `.env.example` is none.
    """
    lowered = path.lower()
    name = lowered.rpartition("/")[2]
    if name in _FILES:
        return _FILES[name]
    if name.startswith(".env."):
        return "" if name.endswith(_SAMPLES) else "environment"
    if f"/{lowered}".endswith(_PLACE_ENDINGS):
        return "credentials"
    if not name.endswith(_NAME_ENDINGS):
        return ""
    return next(kind for ending, kind in _ENDINGS.items() if name.endswith(ending))
