"""Other spellings of one word: people ask for configuration and colours, code has `cfg`, `color`.

A line holds spellings that stand for each other, the short ones first. The list is of what
programmers abbreviate in any language, written down by hand, not taken from the cases of the bench.
"""

from functools import cache

from satchel.store import terms

_FAMILIES = """
abs absolute
addr address
alloc allocate allocation
analyze analyse
arg argument
async asynchronous
attr attribute
auth authenticate authentication authorize authorization
avg average
behavior behaviour
buf buffer
calc calculate calculation
catalog catalogue
cb callback
center centre
cert certificate
cfg config conf configure configuration
char character
cmd command
col column
color colour
concat concatenate concatenation
conn connect connection
coord coordinate
ctx context
cur curr current
db database
dec decode
decl declare declaration
dedup deduplicate deduplication
def defn define definition
del delete
dep dependency
desc description
deser deserialize deserialization
dest dst destination
diff difference
dir directory
doc document documentation
elem element
enc encode
env environment
err error
eval evaluate evaluation
evt event
exec execute execution
expr expression
ext extension
fmt format
fn func function
freq frequency
fs filesystem
gc garbage
gen generate generation
gray grey
hdr header
i18n internationalization
id identifier
idx index
iface interface
img image
impl implement implementation
info information
init initialize initialization initial initialise
int integer
iter iterate iteration
k8s kubernetes
l10n localization
lang language
len length
lhs left
lib library
license licence
loc location
max maximum
mem memory
mgr manage manager management
min minimum
mod module
msg message
mul multiply
nav navigate navigation
neg negative
neighbor neighbour
normalize normalise
num number
obj object
op operation
optimize optimise
param parameter
perf performance
perm permission
pkg package
pos position
pref preference
prev previous
priv private
proc process
prop property
proto protocol
ptr pointer
pub publish
rand random
rec record
recv receive
ref reference
reg register registration
regex regexp
repo repository
req request
res resp response
rhs right
rm remove
sched schedule
sel select
seq sequence
ser serialize serialization serialise
sess session
sig signature
sock socket
spec specification
src source
stat statistic
stmt statement
str string
subst substitute substitution
svc service
sym symbol
sync synchronize synchronization synchronise
sys system
tbl table
temp tmp temporary
tls ssl
tok token
tpl template
trans tx transaction
ts timestamp
txt text
utf unicode
util utility
val value
var variable
vec vector
ver version
win window
ws websocket
xfer transfer
"""
_NOUN_ENDINGS = ("ment", "able", "ance", "ence")


def spellings(term: str) -> tuple[str, ...]:
    """Other terms (as `satchel.store.terms` makes them) that stand for the same word, in order."""
    return tuple(dict.fromkeys((*_spellings().get(term, ()), *_derived_words(term))))


def _derived_words(term: str) -> list[str]:
    """A verb's noun and a noun's verb, as far as stemming left them apart.

    `transformation` is stemmed to `transformat`, `transform` stays; `serialize` is `serializ`.
    """
    if not (term.isascii() and term.isalpha()):
        return []
    if term.endswith("at") and len(term) >= 7:
        return [term[:-2]]
    verbs = [term[: -len(end)] for end in _NOUN_ENDINGS if term.endswith(end) and len(term) >= 8]
    # Short stems would meet unrelated words, such as `form` and `format`.
    return [*verbs, f"{term}at"] if len(term) >= 5 else verbs


@cache
def _spellings() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for line in _FAMILIES.split("\n"):
        # The index holds stems, so the families are stemmed in the same way; some words of a line
        # become one.
        family = list(dict.fromkeys(terms.split(word)[0] for word in line.split()))
        for term in family:
            others = (other for other in family if other != term)
            found.setdefault(term, {}).update(dict.fromkeys(others))
    return {term: tuple(others) for term, others in found.items()}
