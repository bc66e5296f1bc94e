"""Test paths by language convention: what counts, and the look-alikes that must not."""

from __future__ import annotations

import pytest

from satchel.indexer.languages.detect import LANGUAGES
from satchel.indexer.scan.test_paths import is_test_path
from satchel.store.model import RepoPath

TESTS = {
    "python": "test_a.py pkg/test_a.py pkg/a_test.py tests/helpers.py pkg/tests/data.py conftest.py"
    " app/tests.py test/support.py packages/core/test/util.py testing/util.py src/a/_tests/tool.py",
    "javascript": "assets/test/a_test.js"
    " a.test.js src/a.spec.mjs __tests__/a.js src/__tests__/deep/a.js cypress/x/a.js"
    " packages/ui/test/setup.js e2e/login.js src/a.cy.js test/a.js",
    "typescript": "src/a.test.ts src/a.spec.mts a.test.tsx src/tests/util.ts apps/web/e2e/a.ts"
    " src/v5/__testfixtures__/default.input.tsx src/__fixtures__/a.ts",
    "go": "a_test.go pkg/a_test.go pkg/testdata/src/a.go test/e2e/framework.go",
    "java": "src/test/java/a/Util.java core/src/test/java/AThing.java a/FooTest.java HTTPTests.java"
    " a/OrderIT.java a/FooTestCase.java src/integrationTest/java/A.java test/A.java",
    "kotlin": "core/common/test/io/a/A.kt net/jvm/test/A.kt"
    " src/commonTest/kotlin/A.kt app/src/androidTest/kotlin/A.kt a/FooTest.kt",
    "scala": "a/FooSpec.scala a/FooSuite.scala src/test/scala/A.scala",
    "rust": "tests/a.rs crates/x/tests/common/mod.rs src/tests.rs src/parse_test.rs benches/b.rs"
    " axum/src/test_helpers/test_client.rs src/test_util.rs",
    "ruby": "spec/a_spec.rb spec/lib/helper.rb test/a_test.rb activerecord/test/cases/helper.rb"
    " features/steps.rb a_spec.rb",
    "c": "tests/a.c test/a.c src/test_a.c a_test.c lib/test/x.h",
    "cpp": "a_test.cc a_unittest.cc base/a_unittest.cpp FooTest.cpp unittests/A/b.cpp",
    "csharp": "Foo.Tests/A.cs src/Foo.UnitTests/A.cs FooTests.cs FooTest.cs Tests/A.cs test/A/B.cs",
    "php": "tests/A.php src/FooTest.php tests/Feature/A.php",
    "swift": "Tests/AppTests/A.swift AppUITests/A.swift FooTests.swift",
    "elixir": "test/a.ex test/a_test.exs apps/x/test/support/a.ex",
    "haskell": "test/Spec.hs src/FooSpec.hs tests/A.hs",
    "svelte": "src/__snapshots__/a.svelte",
    "lua": "spec/a.lua a_spec.lua deps/lua/test/sieve.lua",
    "bash": "deps/jemalloc/test/unit/prof.sh test/a.bats a.bats test_a.sh tests/run.sh",
    "zig": "test/a.zig src/tests.zig",
    "yaml": "tests/data/a.yaml src/__tests__/a.yml test/a.yaml",
    "": "tests/notes pkg/testdata/golden",
    "dart": "pkgs/a/test/util.dart integration_test/a.dart a_test.dart",
    "solidity": "test/A.sol contracts/mocks/A.sol A.t.sol",
    "gdscript": "test/unit/test_a.gd test_a.gd",
    "objc": "Tests/A.m ATests.m AppTests/Util.m",
    "groovy": "src/test/groovy/A.groovy ASpec.groovy",
    "r": "tests/testthat/helper.R test-a.R",
    "powershell": "tst/a.ps1 A.Tests.ps1",
    "julia": "test/runtests.jl test/a.jl",
    "perl": "t/a.t xt/author.pl",
    "nix": "tests/a.nix a-test.nix",
    "hcl": "tests/main.tf a.tftest.hcl",
    "clojure": "test/a/b.clj src/a_test.cljc",
    "erlang": "test/a.erl a_SUITE.erl a_tests.erl",
    "ocaml": "test/a.ml test_a.ml a_test.mli",
}
PRODUCT = {
    "python": "contest.py src/latest/a.py django/test/client.py attest/a.py"
    " src/trio/testing/a.py flask/testing.py pkg/management/commands/test.py test-data.py"
    " pkg/protest_test_x.py latests/a.py tester.py",
    "javascript": "src/contest.js src/latest/a.js src/commands/test/index.js"
    " attest.js spec.json.js",
    "typescript": "src/protest.ts src/spectrum/a.ts src/commands/test/run.ts inspect.ts",
    "go": "contest.go latest/a.go internal/test/a.go testing/a.go a_tester.go",
    "java": "a/Contest.java a/Latest.java src/main/java/org/junit/Test.java a/Exit.java AUDIT.java"
    " src/main/java/test/A.java src/main/java/com/x/LoadTest.java a/KeySpec.java CipherSuite.java",
    "kotlin": "core/common/src/io/ktor/test/A.kt src/commonMain/kotlin/A.kt a/Greatest.kt",
    "rust": "src/test.rs src/latest.rs src/attest/mod.rs src/contest_helpers/a.rs",
    "ruby": "lib/rack/test/methods.rb lib/a_specs.rb lib/generators/templates/a_spec.rb"
    " inspec/a.rb",
    "c": "contest.c latest/a.c attestation/a.c testimony.c",
    "cpp": "src/Contest.cpp src/fastest.cc protest/a.cc",
    "csharp": "Latest.cs Contest/A.cs Foo.Testing.Sdk/A.cs Fastest/A.cs",
    "php": "src/Contest.php src/Testing/A.php",
    "swift": "Sources/Latest.swift Contests/A.swift",
    "elixir": "lib/a.ex lib/latest/a.ex",
    "haskell": "src/Latest.hs Inspec.hs",
    "lua": "inspect.lua spectrum/a.lua",
    "bash": "contest.sh latest/a.sh test.sh",
    "zig": "src/attest.zig",
    "yaml": "src/test/a.yaml.d contests/a.yaml",
    "": "latest notes/test",
    "dart": "lib/src/test/a.dart lib/latest.dart",
    "solidity": "contracts/Attest.sol",
    "gdscript": "addons/contest.gd",
    "objc": "Latest/A.m Attests/Contest.m",
    "groovy": "src/main/groovy/test/A.groovy",
    "powershell": "src/Contest.ps1",
    "perl": "lib/Test/A.pm",
    "clojure": "src/latest.clj",
    "erlang": "src/a.erl",
}


def cases(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(language, path) for language, paths in table.items() for path in paths.split()]


@pytest.mark.parametrize(("language", "path"), cases(TESTS))
def test_is_a_test(language, path):
    assert is_test_path(RepoPath(path), language, ())


@pytest.mark.parametrize(("language", "path"), cases(PRODUCT))
def test_is_no_test(language, path):
    assert not is_test_path(RepoPath(path), language, ())


@pytest.mark.parametrize("language", [language.name for language in LANGUAGES])
def test_no_language_takes_a_part_of_a_word_for_a_test(language):
    for name in ("contest", "latest", "attestation", "protests", "tested"):
        assert not is_test_path(RepoPath(f"{name}/{name}/a"), language, ())


def test_a_name_with_a_line_break_is_matched_whole():
    assert is_test_path(RepoPath("test_\n.py"), "python", ())
    assert not is_test_path(RepoPath("test_a.py\n"), "python", ())
