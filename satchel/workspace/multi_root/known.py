"""Knowledge of one project or of a workspace, in which each repository has its own.

What is about a path of a member is kept and found with that member; what is about the workspace as
a whole ("project" and names of symbols) is kept with the workspace itself.
"""

from collections.abc import Iterator, Sequence

import msgspec

from satchel.assembler.assemble import KnowledgeLines
from satchel.assembler.budget import MIN_BUDGET
from satchel.knowledge.model import Source
from satchel.knowledge.ranking.presets import PRESETS, PresetName
from satchel.knowledge.replies import Reply
from satchel.knowledge.requests import Recall, Remember, Request, Revise
from satchel.knowledge.scopes import PROJECT, SYMBOL
from satchel.questions.view import Surveyed
from satchel.store import tokens
from satchel.store.errors import NotFound, UsageError
from satchel.store.joined.joined_snapshot import JoinedSnapshot
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.workspace import knowledge
from satchel.workspace.index_paths import scope_inside
from satchel.workspace.project import Member, Project

_USUAL_BUDGET = PRESETS[PresetName.BALANCED].budget_tokens


def ask(
    project: Project, request: Request, *, session: str = "", source: Source = Source.USER
) -> Reply:
    """Answer one request about what is known, of the repository that it is about.

    Raises:
        SatchelError: as `workspace.knowledge.ask`; of a workspace also where the items of one
            request belong to several repositories.
    """
    if not project.members:
        return knowledge.ask(project, request, session=session, source=source)
    member, inside = _member_addressed(project, request)
    if member is not None:
        return knowledge.ask(member.project, inside, session=session, source=source)
    by_id = isinstance(request, Revise) or (isinstance(request, Recall) and bool(request.ids))
    if by_id:
        return _answer_of_holder(project, request, session, source)
    if isinstance(request, Recall) and request.scope in ("", PROJECT):
        # What all of them know, the workspace itself first, in equal shares of the budget.
        every = [("", project), *((member.name, member.project) for member in project.members)]
        kept = [(name, one) for name, one in every if one.folders.has_knowledge]
        if len(kept) < 2:
            name, one = kept[0] if kept else every[0]
            return knowledge.ask(one, request, session=session, source=source)
        budget = request.budget_tokens or _USUAL_BUDGET
        n_asked = max(1, min(len(kept), budget // MIN_BUDGET))
        texts: list[str] = []
        replies: list[Reply] = []
        for name, one in kept[:n_asked]:
            head = f"[{name or 'all repositories'}]\n"
            share = max(MIN_BUDGET, budget // n_asked - tokens.count(head))
            asked = msgspec.structs.replace(request, budget_tokens=share)
            replies.append(knowledge.ask(one, asked, session=session, source=source))
            texts.append(head + replies[-1].text)
        if left := kept[n_asked:]:
            texts.append(f"not asked for want of tokens: {', '.join(name for name, _ in left)}\n")
        return Reply("".join(texts), replies[0].value)
    return knowledge.ask(project, request, session=session, source=source)


def pack_knowledge(
    project: Project, snapshot: Snapshot, session: str = "", query: str = ""
) -> KnowledgeLines | None:
    """The function by which a pack asks what is known of its files; None where nothing is known."""
    if not project.members:
        return knowledge.pack_knowledge(project, snapshot, session, query)
    sources = [
        (name, found, folder)
        for name, one, each, folder in _sources(project, snapshot)
        if (found := knowledge.pack_knowledge(one, each, session, query)) is not None
    ]
    if not sources:
        return None
    encoding = project.settings.context.tokenizer

    def known(paths: Sequence[RepoPath], available_tokens: int) -> Sequence[str]:
        lines: list[str] = []
        for name, found, folder in sources:
            inside = [RepoPath(p[len(folder) :]) for p in paths if p.startswith(folder)]
            if not inside:
                continue
            for line in found(inside, available_tokens - tokens.count("".join(lines), encoding)):
                written = f"{name}: {line}" if name else line
                # Saying whose it is may take more than was left.
                if tokens.count("".join((*lines, written)), encoding) <= available_tokens:
                    lines.append(written)
        return tuple(lines)

    return known


def surveyed(project: Project, snapshot: Snapshot, scope: str, since: str = "") -> Surveyed:
    """What is known of a scope, or with `since` what happened to it; nothing where nothing is kept.

    Of a workspace, line by line with whose it is; there is one value only where one is asked.
    """
    if not project.members:
        return knowledge.surveyed(project, snapshot, scope, since)
    lines: list[str] = []
    for name, one, each, folder in _sources(project, snapshot):
        if scope == PROJECT or not folder:
            inside = scope
        elif scope.startswith(folder):
            inside = scope.removeprefix(folder)
        elif folder.startswith(scope.rstrip("/") + "/"):
            inside = PROJECT
        else:
            continue
        found = knowledge.surveyed(one, each, inside or PROJECT, since)
        lines += [f"{name}: {line}" if name else line for line in found.lines]
    return Surveyed(tuple(lines))


def _sources(project: Project, snapshot: Snapshot) -> Iterator[tuple[str, Project, Snapshot, str]]:
    """(name, project, its index, its folder with a "/") of the workspace itself, then of each."""
    yield "", project, snapshot, ""
    assert isinstance(snapshot, JoinedSnapshot)
    members = {f"{member.name}/": member for member in project.members}
    for part in snapshot.parts:
        member = members[part.folder]
        yield member.name, member.project, part.snapshot, part.folder


def _member_addressed(project: Project, request: Request) -> tuple[Member | None, Request]:
    """The member that a request is about by its scope, and the request as it has it."""
    if isinstance(request, Remember):
        found = [_member_of(project, entry.scope) for entry in request.items]
        owners = {member.name if member else "" for member, _ in found}
        if len(owners) > 1:
            raise UsageError(
                "the items are about several repositories", "keep those of one at a time"
            )
        items = tuple(
            msgspec.structs.replace(entry, scope=scope)
            for entry, (_, scope) in zip(request.items, found, strict=True)
        )
        return found[0][0], Remember(items)
    scope = getattr(request, "scope", "")
    if not scope:
        return None, request
    member, inside = _member_of(project, scope)
    return member, msgspec.structs.replace(request, scope=inside)


def _member_of(project: Project, scope: str) -> tuple[Member | None, str]:
    """The member that a scope lies in, and the scope there; else the scope as it is."""
    plain = scope_inside(project.root, scope)
    mark = SYMBOL if plain.startswith(SYMBOL) and "#" in plain else ""
    path = plain.removeprefix(mark)
    for member in project.members:
        if path.rstrip("/") == member.name:
            return member, PROJECT
        if path.startswith(f"{member.name}/"):
            return member, mark + path[len(member.name) + 1 :]
    return None, scope


def _answer_of_holder(project: Project, request: Request, session: str, source: Source) -> Reply:
    """The answer of whoever has the ids that a request names. Raises: NotFound."""
    missing = NotFound("nothing is kept here", "ids are shown by `recall`")
    for one in (project, *(member.project for member in project.members)):
        if not one.folders.has_knowledge:
            continue
        try:
            return knowledge.ask(one, request, session=session, source=source)
        except NotFound as error:
            missing = error
    raise missing
