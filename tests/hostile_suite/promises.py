"""Every clause of what SECURITY.md promises, and the scenes and tests that hold it.

A name with "::" is a test, another one a scene; a test looks for each.
"""

_STATE = "tests/workspace/test_state.py::"
_ACCESS = "tests/ui/test_access.py::"
_SUITE = "tests/hostile_suite/test_hostile_suite.py::"

PROMISES: dict[str, tuple[str, ...]] = {
    "index and knowledge lie in the user's own folders, and the tree keeps what a team commits": (
        _STATE + "test_the_folders_of_the_specification_are_heard",
        _STATE + "test_nothing_is_written_into_the_tree_unasked",
    ),
    "each folder is the user's alone, 0700, no link in any component": (
        _STATE + "test_a_folder_that_is_not_ours_alone_is_refused",
        _STATE + "test_everything_is_readable_by_its_user_alone",
        _STATE + "test_a_folder_that_others_may_read_is_closed",
    ),
    "they are found by the identity of the checkout; no other checkout gets them": (
        _STATE + "test_no_other_checkout_has_the_knowledge_of_this_one",
    ),
    "a clone or an archive brings no state along": (
        _STATE + "test_a_clone_ships_no_state",
        _STATE + "test_an_archive_ships_no_state_but_may_be_taken_over_by_word",
        "a shipped index with other signatures", "shipped knowledge with false items",
    ),
    "a read-only checkout works": (_STATE + "test_a_read_only_checkout_works",),
    "`git clean -fdx` and deleting the cache cost no knowledge": (
        _STATE + "test_cleaning_the_tree_and_deleting_the_cache_cost_no_knowledge",
    ),
    "worktrees of one repository share knowledge": (
        _STATE + "test_worktrees_share_what_is_known_and_each_has_an_index",
    ),
    "a moved or renamed checkout finds its knowledge again": (
        _STATE + "test_a_moved_checkout_finds_its_knowledge_and_its_index",
        _STATE + "test_a_folder_without_git_is_found_again_too",
    ),
    "a flag, a setting of the user or a variable can set another place": (
        _STATE + "test_state_can_lie_elsewhere_by_flag_setting_or_variable",
    ),
    "old knowledge is taken over once, on request, if it is the user's and git does not track it": (
        _STATE + "test_old_knowledge_is_taken_over_once_and_what_is_newer_stays",
        _STATE + "test_old_knowledge_that_is_not_ours_alone_and_sound_is_left",
        _STATE + "test_triggers_of_old_knowledge_stay_behind",
    ),
    "taking over, killed at every write, loses nothing": (
        "tests/workspace/test_crashes.py::test_nothing_is_lost_when_old_knowledge_is_taken_over",
    ),
    "`status`, its JSON and `doctor` say where everything is": (
        _STATE + "test_status_and_doctor_say_where_everything_is",
    ),
    "`satchel state` lists, moves and deletes": (
        _STATE + "test_all_checkouts_are_listed_and_only_indexes_go_unnamed",
        _STATE + "test_moving_takes_nothing_away_and_writes_nothing_over",
        _STATE + "test_deleting_needs_a_name_that_is_there",
    ),
    "every process starts isolated and away from the checkout": (
        _SUITE + "test_every_process_that_is_started_is_known",
        "modules of the checkout and `satchel doctor`", "mcp_server/__init__.py and a gateway",
        "an upstream's folder and PYTHONPATH", "a hub's workers and modules of the checkout",
        "a hub's PostgreSQL, started in a checkout with programs",
        "a module called pip and the action",
    ),
    "git starts nothing that a repository names": (
        _SUITE + "test_git_is_asked_in_a_strangers_checkout_for_nothing_that_starts_programs",
        ".git configures core.fsmonitor", ".git configures hooks", ".git configures a filter",
        ".git configures a remote over ssh", "a hub and submodules",
    ),
    "processes that read a stranger's files have limits of time and memory": (
        "tests/store/test_programs.py::"
        "test_memory_is_limited_for_a_program_and_for_what_it_starts",
        "tests/indexer/test_hostile.py::test_a_worker_keeps_to_its_memory_and_stands_back",
        "rules that git takes gigabytes to remember",
    ),
    "a repository names no program, host, path outside, identity, privacy or higher limit": (
        "tests/workspace/test_settings.py::test_every_setting_says_where_it_came_from",
        "index.workers = 64", "vectors.endpoint = \"https://192.0.2.1/v1\"",
        "state.folder = \"x\"", "a configuration that names upstreams",
        "a file of roots with a path", "Chroma and a .env with a host",
    ),
    "databases are opened by one function: no link, no trusted schema, the schema compared": (
        _SUITE + "test_every_database_that_is_opened_is_known_and_goes_through_one_function",
        "index.db is a link to a database of the user", "usage.db with a trigger",
        "knowledge.db with a view", "chroma.sqlite3 with a trigger", "a mirror's folder with links",
    ),
    "what is unpacked is bounded": (
        "a decompression bomb in source", "a published index with a huge size",
    ),
    "what is quoted is compared with the bytes on disk": (
        "a shipped index whose text is not the file's",
        "a file changed with its old modification time, and show",
        "a file changed with its old modification time, and the tool symbols",
    ),
    "only regular files of bounded size are read": (
        ".satchel/config.toml is a link to a device", ".satchel/config.toml is a pipe",
        "a link out in a folder that is imported", ".git/HEAD is a pipe", ".gitignore is a pipe",
    ),
    "an installed environment that is shipped is read within bounds, which are reported": (
        "installed packages that are links to the user's folders",
        "tests/workspace/test_dependencies.py::"
        "test_an_environment_that_is_shipped_to_exhaust_is_cut_and_said",
        "tests/workspace/test_dependencies.py::"
        "test_no_more_is_indexed_at_once_than_a_disk_takes",
    ),
    "setup does not write through links": (
        "setup cursor and a link", "instructions for claude-code in a file that is a link",
    ),
    "what a repository contains is shown quoted, and there is one way out": (
        _SUITE + "test_the_terminal_is_the_only_way_out_and_shows_what_hides",
        _SUITE + "test_every_text_that_an_agent_gets_goes_through_one_function",
        _SUITE + "test_what_a_browser_gets_is_json_or_escaped",
        "names in context", "names over MCP: symbols", "names in validate as sarif",
        "names in validate as markdown", "names in deps in Mermaid", "names in gexf, exported",
        "names in `context -`", "completion of `satchel show x`",
    ),
    "a hub's tools, page and commands quote it too": (
        "tests/hub/test_hostile_names.py::"
        "test_agents_people_and_terminals_are_shown_what_hides_and_hear_nobody_but_satchel",
        "tests/ui/test_hostile.py::test_nothing_of_it_becomes_markup",
    ),
    "questions, webhooks, tokens and restored backups do not harm a hub": (
        "tests/hub/test_hostile_requests.py::"
        "test_no_argument_of_any_tool_breaks_a_call_or_speaks_as_satchel",
        "tests/hub/test_hostile_requests.py::"
        "test_webhooks_that_are_forged_slow_or_large_do_nothing",
        "tests/hub/test_hostile_requests.py::"
        "test_processes_that_answer_together_run_nothing_of_a_checkout_and_replace_each_other",
        "tests/hub/test_hostile_sign_on.py::"
        "test_forged_tokens_stand_for_nobody_and_lead_to_no_other_place",
        "tests/hub/test_hostile_sign_on.py::test_an_issuer_that_answers_wrongly_lets_nobody_in",
        "tests/hub/test_hostile_content.py::test_a_dump_that_brings_more_than_a_hub_is_told_of",
    ),
    "what a hub holds never overwrites private items of a checkout": (
        "tests/hub/test_hostile_content.py::"
        "test_what_a_hub_holds_writes_over_nothing_private_and_is_shown_quoted",
    ),
    "patterns and rules are bounded, and reaching a bound is reported": (
        "60,000 ignore patterns between stars", "an ignore pattern of a megabyte",
        "300 kB of x- to redact", "manifests that take the square of their length",
        "a configuration with a key of half a million parts",
    ),
    "a disk, a home folder or somebody else's folder needs a confirmation, after a count": (
        "`satchel context` in a home folder", "indexing /", "a folder of another user",
        "a home folder that the user confirmed", "a home folder, asked over MCP",
    ),
    "secrets do not enter packs, and are reported": (
        ".env by its name", "a RSA private key in code", "a secret in the history",
        ".satchelignore asks for .env",
        "tests/validation/test_secret_scan.py::"
        "test_what_has_a_mark_is_found_and_what_looks_alike_is_not",
    ),
    "other users of the machine get nothing and are not trusted": (
        "modes of what is written", "a .satchel planted above",
        "another user listens at the socket", "a lock that holds text, and a lock that is a link",
    ),
    "idle connections do not block others": (
        "300 connections that send nothing", "600 connections to the page that send nothing",
    ),
    "the page opens once for each token, and for no other port, program or user": (
        "the browser that opens the page, seen by another user",
        _ACCESS + "test_an_address_has_its_token_in_the_fragment_and_opens_the_page_once",
        _ACCESS + "test_no_other_port_of_this_machine_gets_what_opens_the_page",
    ),
    "there are at least 150 scenes, some of which run with the tests": (
        _SUITE + "test_there_are_enough_of_them_and_each_has_a_name",
    ),
    "100,000 mutations of files that others wrote do no harm": (
        _SUITE + "test_mutations_of_what_others_wrote_neither_crash_nor_reach_outside",
    ),
    "crashes, kills and power cuts lose nothing in the present folders": (
        "tests/workspace/test_crashes.py::test_nothing_is_lost_by_a_crash_or_a_full_disk",
        "tests/workspace/test_crashes.py::test_nothing_is_lost_when_a_serving_process_is_killed",
    ),
}  # fmt: skip
