"""A language model as judge: asks for one JSON object per pair, and validates it."""

from __future__ import annotations

from collections.abc import Mapping

from berryeval.core.documents import Document
from berryeval.core.query import Query
from berryeval.errors import ArgumentError
from berryeval.judges.answers import InvalidAnswerError, read_opinion
from berryeval.judges.chat import Chat
from berryeval.judges.prompt import TEMPLATE_HASH, TEMPLATE_VERSION, ask_again, judging_prompt
from berryeval.judges.protocol import Answer, Opinion, Pair, Scale, hash_of

__all__ = ["EndpointJudge"]


class EndpointJudge:
    """A judge behind an OpenAI-compatible API.

    An invalid answer is asked for again; after the last try, the judge cannot judge the pair, and
    the reason says why.

    Parameters
    ----------
    chat : Chat
        The model.
    tries : int
        Number of times to ask for a valid answer, at least once.
    cut : int
        Characters of a document to send.
    """

    def __init__(self, chat: Chat, *, tries: int = 3, cut: int = 20_000) -> None:
        for name, value in (("tries", tries), ("cut", cut)):
            if value < 1:
                raise ArgumentError(name, "at least 1", str(value))
        self.chat = chat
        self.name = chat.name
        self._tries = tries
        self._cut = cut

    def fingerprint(self) -> Mapping[str, str]:
        """Return host, model, settings and template."""
        return {
            "judge": self.name,
            "model": self.chat.model,
            "settings": hash_of({**self.chat.settings, "tries": self._tries, "cut": self._cut}),
            "template": f"{TEMPLATE_VERSION}:{TEMPLATE_HASH}",
        }

    def estimate(self, pair: Pair, guideline: str, scale: Scale) -> tuple[int, int]:
        """Return the tokens of one call: an estimate of the input, the most of the output."""
        prompt = judging_prompt(
            pair.query, pair.query.description, pair.document, guideline, scale, cut=self._cut
        )
        return prompt.n_tokens, self.chat.answer_tokens

    def judge(
        self, query: Query, intent: str | None, document: Document, guideline: str, scale: Scale
    ) -> Answer:
        """Ask the model until it gives a valid answer."""
        prompt = judging_prompt(query, intent, document, guideline, scale, cut=self._cut)
        messages = [("system", prompt.system), ("user", prompt.user)]
        n_input = n_output = 0
        problem = ""
        for n_calls in range(1, self._tries + 1):
            again = [("user", ask_again(prompt, problem))] if problem else []
            reply = self.chat.say([*messages, *again])
            n_input += reply.input_tokens
            n_output += reply.output_tokens
            try:
                opinion = read_opinion(reply.text, scale, prompt.code)
                break
            except InvalidAnswerError as error:
                problem = str(error)
                opinion = Opinion(None, f"no valid answer in {n_calls}: {problem}")
        return Answer(opinion, reply.model, n_calls, n_input, n_output)
