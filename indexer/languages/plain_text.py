"""Text that is no code: known prose, output of programs and data, by the names of files.

What no row reads and nothing here names is taken for code (`languages.detect`).
"""

_PROSE = """
    txt text rdoc textile mediawiki wiki wikitext creole pod pod6 texi texinfo txi man roff rtf
    bib mdwn nfo po pot 1 2 3 4 5 6 7 8 9 dic license licence readme
"""
_PRINTED = """
    log out err stdout stderr trace snap ambr golden expected expect approved received diff patch
    eml mbox pytb tap
"""
_DATA = """
    csv tsv psv jsonl ndjson xml xsd wsdl dtd svg plist resx xlf xliff rss atom kml gpx owl rdf
    ttl dat data list lst lock sum md5 sha1 sha256 sha512 sfv pem crt cer key pub sig srt vtt ics
    vcf properties env obj mtl stl ply bdf afm map csproj vbproj fsproj vcxproj proj props targets
    sln slnx iml nuspec filters manifest meta unity asset prefab mat anim tscn tres import
    storyboard xib pbxproj xcscheme xcworkspacedata conllu fasta fa pdb m3u m3u8 gltf tfstate har
    example sample template dist bak orig rej
"""

EXTENSIONS = tuple(f".{word}" for word in (_PROSE + _PRINTED + _DATA).split())

# In any case, and with any extension that is not known: `README.old`, `changelog`.
NAMES = tuple(
    """
    README READ_ME LICENSE LICENCE COPYING COPYRIGHT NOTICE PATENTS AUTHORS CONTRIBUTORS
    CONTRIBUTING MAINTAINERS CREDITS THANKS CODEOWNERS OWNERS CHANGES CHANGELOG HISTORY NEWS
    RELEASES RELEASE RELEASE_NOTES TODO INSTALL HACKING UPGRADING UPGRADE BUGS FAQ ROADMAP
    SECURITY VERSION MANIFEST CITATION DESCRIPTION NAMESPACE SHA256SUMS SHA512SUMS MD5SUMS CNAME
""".split()
)
