"""Files and flags for which trec_eval has a defined result, as tricky as possible.

Left out are inputs without a defined result: NaN scores, queries with negative grades only,
gains less than 1 apart, preference levels below 0, and -Z files that it reads past their end;
also the debugging output of -D, which is not supported.
"""

import re
from dataclasses import dataclass

from hypothesis import strategies as st

QUERIES = [b"1", b"10", b"2", b"q", b"Q", "ü".encode(), b"\xff", b"100%d", b"all", b"-1", b"#7"]
DOCUMENTS = [
    *(b"d%d" % i for i in range(14)), b"9", b"10", b"Z", b"z", "é".encode(), "日本".encode(),
    b"\xff\xfe", b"\x80", b"a-b", b"%s%n", b"'", b"\xc2\xa0", b"x" * 300, b"#",
]  # fmt: skip
GRADES = [
    "0", "0", "1", "1", "1", "2", "3", "-1", "-2", "-7", "10", "127", "1.9", "2e1", "1abc", "abc",
    "+2", "-0", "0x1", "007", "-", "+",
]  # fmt: skip
SCORES = [
    "0", "-0.0", "1", "1", "1.00000001", "1.00000002", "0.1", "0.100000001", "-3.5", "1e39",
    "-1e39", "1e-46", "16777217", "16777216", "1e3", "0x10", "0x1p-3", "0x.8", "0x", "1.5abc",
    "+.5", "5.", "1,5", "abc", "inf", "-inf", "Infinity", "1e", "1e+", "--1", "3.4028236e38",
]  # fmt: skip
LEVELS = ["0", "0.0", "1", "1.5", "2", "2", "3", "10", "1e1", "abc", "0x2"]
GAPS = [b" ", b" ", b"\t", b"  ", b" \t ", b"\v", b"\f", b"\r"]
ENDS = [b"\n", b"\n", b"\r\n", b" \n", b"\t\r\n"]

NAMES = [
    "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref",
    "recip_rank", "iprec_at_recall", "P", "relstring", "recall", "infAP", "gm_bpref",
    "Rprec_mult", "utility", "11pt_avg", "binG", "G", "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut",
    "map_cut", "relative_P", "success", "set_P", "set_relative_P", "set_recall", "set_map",
    "set_F", "num_nonrel_judged_ret", "yaap",
]  # fmt: skip
NICKNAMES = ["official", "set", "all_trec"]


@dataclass
class Case:
    """The arguments of a trec_eval call."""

    judgments: bytes
    run: bytes
    flags: list[str]
    z_scores: bytes | None = None


def text_of(columns: list[list[bytes]], draw) -> bytes:
    """Write lines in any order, with any white space."""
    rows = draw(st.permutations(columns))
    gap, end = draw(st.sampled_from(GAPS)), draw(st.sampled_from(ENDS))
    lead = draw(st.sampled_from([b"", b"", b" ", b"\t"]))
    text = b"".join(lead + gap.join(row) + end for row in rows)
    return text.removesuffix(b"\n") if draw(st.booleans()) else text


pools = st.lists(st.sampled_from(QUERIES), min_size=1, max_size=4, unique=True)
"""The queries of a case, most of which are in all of its files."""

rarely = st.sampled_from([*[False] * 19, True])


def by_query(
    values: st.SearchStrategy, pool: list[bytes], documents: int = 12
) -> st.SearchStrategy:
    of_query = st.dictionaries(st.sampled_from(DOCUMENTS), values, min_size=1, max_size=documents)
    every = st.fixed_dictionaries(dict.fromkeys(pool, of_query))
    some = st.dictionaries(st.sampled_from(pool), of_query, min_size=1)
    return every | every | some


@st.composite
def qrels(draw, pool: list[bytes], *, rotten: bool = True) -> bytes:
    """Draw judgments, sometimes with a malformed or repeated line."""
    rows = []
    for query, grades in draw(by_query(st.sampled_from(GRADES), pool)).items():
        if not any(as_grade(grade) >= 0 for grade in grades.values()):
            grades[next(iter(grades))] = "0"
        for document, grade in grades.items():
            rows.append([query, draw(st.sampled_from([b"0", b"Q0", b"x"])), document,
                         grade.encode()])  # fmt: skip
    if rotten and draw(rarely):
        bad = [rows[0][:3], [*rows[0], b"5"], [], rows[0]]
        rows.append(draw(st.sampled_from(bad)))
    return text_of(rows, draw)


def as_grade(text: str) -> int:
    """Return how C parses the grades above."""
    found = re.match(r"[-+]?\d+", text)
    return int(found[0]) if found else 0


@st.composite
def runs(draw, pool: list[bytes], *, rotten: bool = True) -> bytes:
    """Draw rankings, sometimes with a malformed, blank or repeated line."""
    scores = st.sampled_from(SCORES) | st.floats(-1e6, 1e6, width=32).map(repr)
    rows = [
        [query, b"Q0", document, b"1", score.encode(), b"tag"]
        for query, documents in draw(by_query(scores, pool, 20)).items()
        for document, score in documents.items()
    ]
    rows[-1][5:] = draw(st.sampled_from([[b"last"], [b"t\xe9g", b"more"], [b"100%"]]))
    if rotten and draw(rarely):
        bad = [rows[0][:5], [], [*rows[0][:3], b"1", b"0", b"tag"], rows[0]]
        rows.append(draw(st.sampled_from(bad)))
    return text_of(rows, draw)


def joined(numbers: st.SearchStrategy, most: int) -> st.SearchStrategy:
    """Draw a list of parameters."""
    return st.lists(numbers, min_size=1, max_size=most, unique=True).map(
        lambda found: ",".join(map(str, found))
    )


RANKS = joined(st.integers(1, 40), 30) | st.sampled_from(["23.4", "5abc,7", "1e1", "+3"])
SHARES = joined(st.integers(-20, 150).map(lambda n: n / 100), 8) | st.sampled_from(
    ["abc", "1", ".25,.75", "1e-1", "0x1"]
)
GAINS = st.dictionaries(st.integers(0, 12), st.integers(-3, 20), min_size=1, max_size=4).map(
    lambda gains: ",".join(f"{grade}={gain}" for grade, gain in gains.items())
) | st.sampled_from(["1=", "a=1", "=3", "1=2,1=3"])
PARAMETERS = {
    **dict.fromkeys(["P", "recall", "ndcg_cut", "map_cut", "relative_P", "success"], RANKS),
    **dict.fromkeys(["iprec_at_recall", "Rprec_mult", "11pt_avg"], SHARES),
    **dict.fromkeys(["G", "ndcg", "ndcg_rel", "Rndcg"], GAINS),
    "utility": st.lists(st.sampled_from(["0", "1", "-2", ".5", "1e-1", "abc"]), min_size=4,
                        max_size=4).map(",".join),
    "set_F": st.sampled_from(["0.5", "2", "0", "-0.5", "-1", "1,2", "abc", "-3"]),
    "relstring": st.sampled_from(["1", "5", "100", "0", "-4", "abc", "2.9"]),
}  # fmt: skip
"""Parameters of measures, some of them odd."""

REFUSED = [
    "P.5,5", "P.0", "P.abc", "P.5,,6", "success.-1", "ndcg_cut.", "iprec_at_recall.0.5,.5",
    "ndcg.1", "ndcg.1=2=3", "G.,1=2", "Rndcg.1=2,", "utility.1", "utility.1,2,3,4,5", "nope",
    "prefs_simp", "map_avgjg", ".5",
]  # fmt: skip
"""Values of -m that the program rejects, at least for some queries."""


@st.composite
def measures(draw) -> list[str]:
    """Draw measures and nicknames, with or without parameters."""
    words = []
    for name in draw(st.lists(st.sampled_from(NAMES + NICKNAMES * 2), min_size=1, max_size=5)):
        is_plain = name in NICKNAMES or draw(st.booleans())
        words.append(name if is_plain else f"{name}.{draw(PARAMETERS.get(name, st.just('5')))}")
    return [*words, draw(st.sampled_from(REFUSED))] if draw(rarely) else words


CHOICES = [
    [[], ["-q"], ["-q"], ["--query"], ["-nq"], ["-n"]],
    [[], [], ["-c"], ["--comp"]],
    [[], [], [], ["-J"], ["--Judged"]],
    [[], [], [], ["-l2"], ["-l", "3"], ["-l0"], ["-l11"], ["-l", "-1"], ["-l-2"], ["-lx"]],
    [[], [], ["-M1"], ["-M", "3"], ["--Max=5"], ["-M0"]],
    [[], [], ["-N", "100"], ["-N1e3"]],
    [*[[]] * 20, ["-o"], ["-D0"], ["-D", "0.q"], ["-D0.1"], ["-Tother"]],
]
"""Choices of flags; each case uses one per line."""


@st.composite
def flags(draw, words: list[str]) -> list[str]:
    """Draw any combination of flags, in any order."""
    chosen = [draw(st.sampled_from(line)) for line in CHOICES]
    chosen += [draw(st.sampled_from([[f"-m{word}"], ["-m", word]])) for word in words]
    return [word for pair in draw(st.permutations(chosen)) for word in pair]


@st.composite
def cases(draw) -> Case:
    """Draw qrels, a run and flags."""
    pool = draw(pools)
    words = [] if draw(rarely) else draw(measures())
    return Case(draw(qrels(pool)), draw(runs(pool)), draw(flags(words)))


@st.composite
def plain_cases(draw) -> Case:
    """Draw qrels and a run without mistakes, and all measures."""
    pool = draw(pools)
    words = [f"-m{name}" for name in NAMES]
    level = draw(st.sampled_from(["-l1", "-l1", "-l2", "-l0", "-l-1"]))
    complete = draw(st.sampled_from([[], ["-c"]]))
    files = draw(qrels(pool, rotten=False)), draw(runs(pool, rotten=False))
    return Case(*files, ["-q", level, *words, *complete])


@st.composite
def group_cases(draw) -> Case:
    """Draw judgment groups: the second column of the qrels is the judge."""
    pool = draw(pools)
    rows = [
        [query, group, document, grade.encode()]
        for group in draw(st.sets(st.sampled_from([b"a", b"b", b"B", b"10"]), min_size=1))
        for query, grades in draw(by_query(st.sampled_from(GRADES), pool, 6)).items()
        for document, grade in grades.items()
    ]
    if draw(rarely):
        rows.append(rows[0])
    some = ["qrels_jg", "map_avgjg", "P_avgjg.3,1,2", "Rprec_mult_avgjg.1,.5,2,-1", "num_q"]
    words = draw(st.lists(st.sampled_from(some), min_size=1, max_size=3))
    words += draw(st.sampled_from([*[[]] * 19, ["map"]]))
    more = draw(flags(words))
    return Case(text_of(rows, draw), draw(runs(pool)), ["-Rqrels_jg", *more])


@st.composite
def preference_cases(draw) -> Case:
    """Draw preferences in one or more subgroups; some contradict each other."""
    is_qrels = draw(st.booleans())
    subgroups = [b"0"] if is_qrels else draw(st.sampled_from([[b"0"], [b"0", b"1"], [b"x", b"y"]]))
    pool = draw(pools)
    rows = []
    for group in draw(st.sets(st.sampled_from([b"a", b"b", b"B"]), min_size=1)):
        # The levels of a group come from one table, which keeps most groups consistent.
        table = draw(by_query(st.sampled_from(LEVELS), pool, 7))
        for query, levels in table.items():
            for subgroup in subgroups:
                for document, level in levels.items():
                    if len(subgroups) == 1 or draw(st.booleans()):
                        place = [query, group, subgroup, document, level.encode()]
                        rows.append(place[:2] + place[3:] if is_qrels else place)
    if not rows:
        rows = [[pool[0], b"a", b"0", b"d1", b"1"]]
    if draw(rarely):
        rows.append([*rows[0][:-1], draw(st.sampled_from([b"0", b"5"]))])
    more = draw(flags([draw(st.sampled_from(["all_prefs", "all_prefs", "prefs"]))]))
    name = "-Rqrels_prefs" if is_qrels else "-Rprefs"
    return Case(text_of(rows, draw), draw(runs(pool)), [name, *more])


Z_NAMES = [
    "map", "P_5", "P_10", "num_ret", "num_rel", "num_rel_ret", "gm_map", "relstring", "Rprec",
    "iprec_at_recall_0.00", "recip_rank", "bpref", "ndcg", "set_F_2",
]  # fmt: skip


@st.composite
def z_cases(draw) -> Case:
    """Draw z-scores, with means and deviations for some queries and measures."""
    pool = draw(pools)
    rows = [
        [
            query, name.encode(),
            draw(st.sampled_from([b"0", b"0.3", b"1", b"-2", b"1e-1", b"abc"])),
            draw(st.sampled_from([b"0", b"0.1", b"2", b"-1", b"0x1"])),
        ]
        for query in draw(st.sets(st.sampled_from(pool)))
        for name in draw(st.lists(st.sampled_from(Z_NAMES), min_size=1, max_size=9))
    ]  # fmt: skip
    if draw(rarely):
        rows.append(rows[0][:3] if rows else [])
    # The program reads past the end for queries after the last; this one sorts after all others.
    rows += [[b"\xff\xff\xff", name, b"0", b"1"] for name in (b"!", b"~~~")]
    more = draw(flags(["official", "ndcg", "set_F.2", "relstring", "runid"]))
    return Case(draw(qrels(pool)), draw(runs(pool)), more, text_of(rows, draw))
