"""A program that stands in for a language model, and a made-up set for it to judge.

It speaks the protocol of OpenAI's chat API on this machine, and errs on purpose: of 100 grades,
about 15 are one too high and 10 one too low.

    python pretend_model.py write           write golden/, old.run and new.run here
    python pretend_model.py people FILE     fill in the grades of a CSV file, in place of people
    python pretend_model.py serve           answer at http://localhost:11434/v1 until Ctrl-C
"""

from __future__ import annotations

import csv
import hashlib
import itertools
import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PORT = 11434
TOO_HIGH, TOO_LOW = 0.15, 0.1
VERBS = """
add archive assign attach back-up change close collect combine compare convert copy count create
delete disable download duplicate edit enable export filter find hide import join label lock
merge move name open order pin preview print protect publish read rename restore reuse search
share show sort split translate undo upload
"""
THINGS = """
accounts alerts badges boards bookmarks calendars cards charts comments contacts dashboards
databases documents drafts emails events fields files folders forms groups images invoices keys
labels links lists maps meetings members messages notebooks notes orders pages passwords photos
plans polls projects reminders reports roles rules sheets tables tags tasks templates videos
"""
GUIDELINE = """\
3 answers the question, 2 answers part of it, 1 is about the same things, 0 does not help.
Judge from the text alone.
"""


def chance(*parts: str) -> float:
    """Return a number from 0 to 1 that depends on texts only: the same in every run."""
    digest = hashlib.sha256("\x00".join(parts).encode()).digest()
    return int.from_bytes(digest[:7], "big") / 2**56


def write(folder: Path) -> None:
    """Write 2,500 queries with four documents each, and two runs with three of them."""
    (folder / "golden").mkdir(parents=True, exist_ok=True)
    queries, documents = [], []
    runs: dict[str, list[str]] = {"old": [], "new": []}
    verbs, things = VERBS.split(), THINGS.split()
    for number, (verb, thing) in enumerate(itertools.product(verbs, things), start=1):
        query_id, text = f"q{number:04}", f"{verb} {thing}"
        other = verbs[(verbs.index(verb) + 1) % len(verbs)]
        texts = [
            f"To {text}, open Settings, choose {thing.title()} and then {verb.title()}.",
            f"You can {text} if you are signed in. Some plans do not include it.",
            f"{thing.title()} have a page of their own, with a search field and a list of the "
            "latest ones.",
            f"To {other} files, right-click one of them.",
        ]
        queries.append({"id": query_id, "query": text, "description": f"How to {text}."})
        ids = [f"{query_id}-{letter}" for letter in "abcd"]
        documents += [{"_id": one, "text": own} for one, own in zip(ids, texts, strict=True)]
        for name, ranked in rankings(query_id).items():
            runs[name] += [
                f"{query_id} Q0 {ids[at]} {rank} {4 - rank} {name}"
                for rank, at in enumerate(ranked, start=1)
            ]
    lines = "".join(json.dumps(one) + "\n" for one in documents)
    (folder / "golden" / "documents.jsonl").write_text(lines)
    (folder / "golden" / "test-queries.json").write_text(json.dumps({"queries": queries}))
    (folder / "golden" / "GUIDELINE.md").write_text(GUIDELINE)
    for name, rows in runs.items():
        (folder / f"{name}.run").write_text("\n".join(rows) + "\n")


def rankings(query_id: str) -> dict[str, list[int]]:
    """Return three of four documents for each run; together, the runs return all of them."""
    noise = {"old": 8.0, "new": 4.0}
    orders = {
        name: sorted(range(4), key=lambda at: at + size * chance(name, query_id, str(at)))
        for name, size in noise.items()
    }
    old, new = orders.values()
    if old[-1] == new[-1]:
        new[-2:] = new[-1], new[-2]
    return {name: order[:3] for name, order in orders.items()}


def true_grade(query: str, document: str) -> int:
    """Return the grade of a document, by the sentence that it begins with."""
    *others, thing = query.split()
    is_about = document.startswith(f"{thing.title()} have a page")
    if document.startswith(f"To {query},") or (is_about and "where" in others):
        return 3
    return 2 if document.startswith(f"You can {query} ") else int(is_about)


def people(path: Path) -> None:
    """Fill in the column of grades, as people would."""
    with path.open(newline="") as file:
        rows = [*csv.DictReader(file)]
    for row in rows:
        row["grade"] = str(true_grade(row["query_text"], row["document_text"]))
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, [*rows[0]], lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    print(f"Graded {len(rows)} pairs.")


def answer(messages: list[dict[str, str]]) -> str:
    """Return the model's answer to a prompt: a grade, or queries for a document."""
    text = "\n".join(one["content"] for one in messages if one["role"] == "user")
    code = re.findall(r"answer code is (\w+)", text)[-1]
    document = part(text, "document")
    if "=== query " not in text:
        found = re.match(r"(\S+) have a page", document)
        things = [found[1].lower()] if found else []
        queries = [{"query": f"where are my {one}", "intent": f"To find {one}."} for one in things]
        return json.dumps({"code": code, "queries": queries})
    query = part(text, "query")
    luck = chance("model", query, document)
    error = (luck < TOO_HIGH) - (luck > 1 - TOO_LOW)
    grade = min(3, max(0, true_grade(query, document) + error))
    return json.dumps({"code": code, "grade": grade, "reason": "as told", "confidence": 0.9})


def part(text: str, name: str) -> str:
    """Return what a prompt has between the two lines of a fence."""
    found = re.search(rf"=== {name} (\w+) ===\n(.*)\n=== end of {name} \1 ===", text, re.DOTALL)
    return found[2] if found else ""


class Handler(BaseHTTPRequestHandler):
    """Answers ``POST /v1/chat/completions``."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_POST(self) -> None:
        """Answer one request."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = {"role": "assistant", "content": answer(body["messages"])}
        n_input = sum(len(one["content"]) for one in body["messages"]) // 4
        found: dict[str, Any] = {
            "id": "1", "object": "chat.completion", "model": body["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": n_input, "completion_tokens": 20},
        }  # fmt: skip
        data = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_arguments: object) -> None:
        """Keep the terminal clear."""


def serve() -> None:
    """Answer until Ctrl-C."""
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Handler)
    print(f"Answering at http://localhost:{PORT}/v1; Ctrl-C stops.", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    command = sys.argv[1:]
    if command == ["write"]:
        write(Path())
        print("Wrote golden/, old.run and new.run.")
    elif command == ["serve"]:
        serve()
    elif command[:1] == ["people"] and len(command) == 2:  # noqa: PLR2004
        people(Path(command[1]))
    else:
        sys.exit(__doc__)
