"""Names as languages write them, and the definition that each of them means."""

from collections.abc import Callable
from pathlib import Path

import pytest

from satchel.assembler.lookup.symbols import matching
from tests.support.satchel import index

TREE = """
//- src/cart.erl
-module(cart).
add(X, Y) -> X.
//- lib/cart.ex
defmodule Shop.Cart do
  def put(x, y), do: x
end
//- Cart.m
#import <Foundation/Foundation.h>
@implementation Cart
- (void)addItem:(id)x count:(int)n { }
@end
//- lib/Shop/Bag.pm
package Shop::Bag;
sub take { 1 }
//- lib/log_trap.ml
let recover x = x
"""


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("cart:add", "src/cart.erl"),
        ("cart:add/2", "src/cart.erl"),
        ("add/2", "src/cart.erl"),
        ("src/cart.erl:add", "src/cart.erl"),
        ("Shop.Cart.put/2", "lib/cart.ex"),
        ("-[Cart addItem:count:]", "Cart.m"),
        ("addItem:count:", "Cart.m"),
        ("Shop::Bag::take", "lib/Shop/Bag.pm"),
        ("Shop::Bag->take", "lib/Shop/Bag.pm"),
        ("Log_trap.recover", "lib/log_trap.ml"),
    ],
)
def test_a_name_is_found_as_its_language_writes_it(
    project: Callable[[str], Path], written: str, path: str
):
    with index(project(TREE.lstrip())).snapshot() as snapshot:
        assert [record.path for record in matching(snapshot, written)] == [path]


def test_a_path_that_is_not_there_names_nothing(project: Callable[[str], Path]):
    with index(project(TREE.lstrip())).snapshot() as snapshot:
        assert matching(snapshot, "src/other.erl:add") == []
