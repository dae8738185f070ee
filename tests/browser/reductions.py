# SPDX-License-Identifier: Apache-2.0
"""A VISTA trace read a second time, in as few lines as it takes: what the workbench must say."""


class Node:
    def __init__(self, record, time, clause, pe, index):
        self.record, self.time, self.clause, self.pe, self.index = record, time, clause, pe, index
        self.parent, self.children, self.level = None, [], 0

    def subtree(self):
        nodes = [self]
        for node in nodes:
            nodes.extend(node.children)
        return nodes

    def levels(self):
        return 1 + max(node.level for node in self.subtree()) - self.level


class Reductions:
    """Times are microseconds from the first record's."""

    def __init__(self, path, program):
        with open(path, encoding="ascii") as file:
            self.n_pes = int(file.readline())
            rows = [[int(text) for text in line.split()] for line in file]
        zero = rows[0][0]
        self.nodes = [Node(i + 1, row[0] - zero, *row[1:4]) for i, row in enumerate(rows)]
        self.span = self.nodes[-1].time
        named = {(node.pe, node.index): node for node in self.nodes}
        for node, row in zip(self.nodes, rows):
            node.parent = named.get((row[4], row[5]))
            if node.parent:
                node.parent.children.append(node)
                node.level = node.parent.level + 1
        with open(program, encoding="utf-8") as file:
            lines = file.read().split("\n")
        # A clause each begins where its head begins, in the first column.
        heads = [(n, line.split("(")[0]) for n, line in enumerate(lines, 1)
                 if line[:1].isalpha() and not line.startswith("otherwise")]
        self.lines = [n for n, _ in heads]
        self.names = [name for _, name in heads]

    def procedure(self, node):
        return self.names[node.clause - 1]

    def line(self, node):
        return self.lines[node.clause - 1]

    def migrations(self, root=None):
        nodes = root.subtree()[1:] if root else self.nodes
        return [n for n in nodes if n.parent and n.parent.pe != n.pe]

    def on_pe(self, pe, root=None):
        return sum(n.pe == pe for n in (root.subtree() if root else self.nodes))
