"""The packages of a code base by their manifests, and questions that mean one of them."""

import json
from pathlib import Path

import pytest

from satchel.assembler.survey.packages import packages
from satchel.store.errors import UsageError
from satchel.workspace.index_paths import path_in
from tests.support.agent import asked, in_memory
from tests.support.satchel import index, satchel

MANIFESTS = """
//- pyproject.toml
[project]
name = "shop"
//- shop/cart.py
def total(items): return sum(items)
//- web/package.json
{"name": "@shop/web", "workspaces": ["ui"]}
//- web/total.ts
export function total(items) { return items.length }
//- web/ui/package.json
{"name": "@shop/ui", "private": true}
//- go/go.mod
module example.org/shop/pay

go 1.22
//- rust/Cargo.toml
[workspace]
members = ["core"]
//- rust/core/Cargo.toml
[package]
name = "shop-core"
//- java/pom.xml
<project><parent><artifactId>parent</artifactId></parent>
<dependencies><dependency><artifactId>junit</artifactId></dependency></dependencies>
<artifactId>shop-java</artifactId></project>
//- net/Shop.Api.csproj
<Project Sdk="Microsoft.NET.Sdk"></Project>
//- php/composer.json
{"name": "shop/php"}
//- ex/mix.exs
defmodule Shop.MixProject do
  def project, do: [app: :shop_ex, version: "1"]
end
//- gem/shop.gemspec
Gem::Specification.new { |s| s.name = "shop-gem" }
//- poetry/pyproject.toml
[tool.poetry]
name = "shop-poetry"
//- old/setup.py
from setuptools import setup
setup(
    name="shop-old",
)
//- broken/package.json
{"name": ["not a name"]}
//- deep/package.json
[[[[
//- tests/data/package.json
{"name": "of-a-test"}
"""


@pytest.fixture
def shop(project) -> Path:
    return project(MANIFESTS)


def test_every_kind_of_manifest_names_its_package(shop: Path):
    with index(shop).snapshot() as snapshot:
        found = [(each.name, each.kind, each.folder) for each in packages(snapshot)]
    assert found == [
        ("shop", "python", ""),
        ("shop_ex", "mix", "ex/"),
        ("shop-gem", "gem", "gem/"),
        ("example.org/shop/pay", "go", "go/"),
        ("shop-java", "maven", "java/"),
        ("Shop.Api", "dotnet", "net/"),
        ("shop-old", "python", "old/"),
        ("shop/php", "composer", "php/"),
        ("shop-poetry", "python", "poetry/"),
        ("shop-core", "cargo", "rust/core/"),
        ("@shop/web", "npm", "web/"),
        ("@shop/ui", "npm", "web/ui/"),
    ]


def test_a_path_may_name_a_package(shop: Path):
    with index(shop).snapshot() as snapshot:
        assert path_in(snapshot, shop, "package:@shop/ui") == "web/ui/"
        assert path_in(snapshot, shop, "package:pay") == "go/"
        assert path_in(snapshot, shop, "package:pay\nweb") == "go/\nweb/"
        assert path_in(snapshot, shop, "package:shop") == ""
        with pytest.raises(UsageError, match="no package is called 'shpo-core'") as refused:
            path_in(snapshot, shop, "package:shpo-core")
        assert "shop-core" in refused.value.hint


def test_commands_and_tools_take_packages(shop: Path):
    done = satchel("search", "total", "--package", "@shop/web", cwd=shop).stdout.decode()
    assert done.startswith("web/total.ts:1")
    assert "shop/cart.py" not in done
    pack = satchel("context", "total", "--package", "web", "--budget", "500", cwd=shop).stdout
    assert b"web/total.ts" in pack
    assert b"shop/cart.py\n" not in pack
    listed = satchel("overview", cwd=shop).stdout.decode()
    assert "packages: shop (python, root), shop_ex (mix, ex/)" in listed
    rows = json.loads(satchel("overview", "package:shop-core", "--json", cwd=shop).stdout)
    [core] = rows["packages"]
    assert (core["name"], core["kind"], core["folder"]) == ("shop-core", "cargo", "rust/core/")

    async def session(client):
        return await asked(client, "search", query="total", path="package:@shop/web")

    assert "shop/cart.py" not in in_memory(shop, session)


def test_a_package_of_each_kind_may_have_the_same_name_and_folder(project):
    manifests = '//- pyproject.toml\n[project]\nname = "shop"\n//- package.json\n{"name": "shop"}\n'
    with index(project(manifests)).snapshot() as snapshot:
        found = [(each.name, each.kind) for each in packages(snapshot)]
    assert found == [("shop", "npm"), ("shop", "python")]


def test_a_path_that_is_a_folder_means_no_folder_beside_it(project):
    root = project("//- web/a.py\nprice = 1\n//- web-next/b.py\nprice = 2\n")
    index(root)
    done = satchel("search", "price", "--path", "web", "--quiet", cwd=root).stdout.decode()
    assert "web/a.py" in done and "web-next" not in done
    begun = satchel("search", "price", "--path", "we", "--quiet", cwd=root).stdout.decode()
    assert "web/a.py" in begun and "web-next/b.py" in begun
    told = satchel("overview", "web", "--quiet", cwd=root).stdout.decode()
    assert told.startswith("web: 1 file") and "index of the whole project: " in told
