"""The mutants of a module: copies of its source in which mutmut's operators have changed one thing.

Not changed: annotations and decorators; what errors, log lines and progress bars say; `strict=True`, which
guards against mistakes in the code itself; on which device a tensor is, which shows only where there are two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256

import libcst as cst
import libcst.matchers as m
from libcst.metadata import CodeRange, MetadataWrapper, WhitespaceInclusivePositionProvider
from mutmut.mutation.mutators import mutation_operators

UNCHANGED = m.Annotation() | m.Decorator() | m.Raise() | m.Call(m.Name("isinstance"))
SPOKEN = m.Call(m.Attribute(m.Name("LOG"))) | m.Call(m.Attribute(attr=m.Name("getLogger")))
SPARED = m.Call(m.Name("len") | m.Name("progress"))  # but not what they are given
GUARD = m.Arg(m.Attribute(attr=m.Name("device")) | m.Call(m.Name("choose_device"))) | m.Arg(
    keyword=m.Name("strict") | m.Name("device") | m.Name("label")
)
NOTHING = m.Arg(m.Name("None"))


@dataclass(frozen=True)
class Mutant:
    """One change: in which function, which lines, to what; and the whole source with the change."""

    module: str
    place: str
    before: str
    after: str
    source: str = field(compare=False, repr=False)


class _Mutator(cst.CSTVisitor):
    METADATA_DEPENDENCIES = (WhitespaceInclusivePositionProvider,)

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.changes: list[tuple[str, cst.CSTNode, cst.CSTNode]] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if m.matches(node, UNCHANGED | SPOKEN | GUARD):
            return False
        if m.matches(node, SPARED):
            self._visit_given(node)
            return False
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            self.names.append(node.name.value)
        place = ".".join(self.names)
        self.changes.extend((place, node, changed) for changed in _changes(node))
        return True

    def _visit_given(self, call: cst.Call) -> None:
        for argument in call.args:
            if argument.keyword is None and not isinstance(argument.value, cst.BaseString):
                argument.visit(self)

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if isinstance(original_node, cst.FunctionDef | cst.ClassDef):
            self.names.pop()


def _changes(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for kind, operator in mutation_operators:
        if isinstance(node, kind):
            yield from (changed for changed in operator(node) if _guards(changed) == _guards(node))


def _guards(node: cst.CSTNode) -> int:
    """Count the arguments of a call that must stay."""
    return sum(
        m.matches(child, GUARD) and not m.matches(child, m.Arg(m.Name("None"))) for child in node.children
    )


def mutants_of(module: str, source: str) -> list[Mutant]:
    """Return every mutant of a module's source, in the order of its lines."""
    wrapper = MetadataWrapper(cst.parse_module(source))
    mutator = _Mutator()
    wrapper.visit(mutator)
    ranges = wrapper.resolve(WhitespaceInclusivePositionProvider)
    seen = Counter()
    mutants = []
    for place, node, changed in mutator.changes:
        text = _changed_source(wrapper.module, source, ranges[node], node, changed)
        before, after = _changed_lines(source, text)
        seen[place, before, after] += 1
        if (repeat := seen[place, before, after]) > 1:  # the same line, further down in the same function
            after += f" #{repeat}"
        mutants.append(Mutant(module, place, before, after, text))
    return mutants


def _changed_source(
    module: cst.Module, source: str, where: CodeRange, node: cst.CSTNode, changed: cst.CSTNode
) -> str:
    """Replace a node in the text, which is much faster than in the tree where it spans no block."""
    start, end = (_offset(source, point.line, point.column) for point in (where.start, where.end))
    if source[start:end] == module.code_for_node(node):
        return source[:start] + module.code_for_node(changed) + source[end:]
    return module.deep_replace(node, changed).code


def _offset(source: str, line: int, column: int) -> int:
    return sum(len(text) for text in source.splitlines(keepends=True)[: line - 1]) + column


def _changed_lines(source: str, changed: str) -> tuple[str, str]:
    """Return the lines in which two texts differ, each as one line."""
    old, new = source.splitlines(), changed.splitlines()
    first = next(_differing(old, new), 0)
    last = next(_differing(old[first:][::-1], new[first:][::-1]), 0)
    return tuple(" ".join(line.strip() for line in lines[first : len(lines) - last]) for lines in (old, new))


def _differing(old: list[str], new: list[str]) -> Iterator[int]:
    length = min(len(old), len(new))
    yield from (index for index in range(length) if old[index] != new[index])
    yield length


def sample(mutants: list[Mutant], size: int, seed: int) -> list[Mutant]:
    """Draw mutants by a digest of each, so that editing one function leaves the others' draws alone."""

    def draw(mutant: Mutant) -> str:
        parts = (str(seed), mutant.module, mutant.place, mutant.before, mutant.after)
        return sha256("\t".join(parts).encode()).hexdigest()

    drawn = set(sorted(mutants, key=draw)[:size])
    return [mutant for mutant in mutants if mutant in drawn]
