"""A BEIR folder of a dozen fruit, for tests of hybrid search."""

import json

FRUIT = {
    "apple": "Apples are crisp and sweet, and grow on trees in cool orchards.",
    "banana": "Bananas are yellow, soft and sweet, and grow in the tropics.",
    "cherry": "Cherries are small and red with a stone, and ripen in early summer.",
    "date": "Dates are dried in the desert sun and taste like caramel.",
    "elderberry": "Elderberries are black, must be cooked, and make a good syrup.",
    "fig": "Figs are purple and full of tiny seeds.",
    "grape": "Grapes grow on vines and are pressed into wine.",
    "kiwi": "Kiwis are brown and hairy outside, and green inside.",
    "lemon": "Lemons are yellow and sour, and give juice for tea.",
    "mango": "Mangos are orange inside and drip with juice.",
    "orange": "Oranges are peeled, and have vitamin C.",
    "plum": "Plums are dried into prunes.",
}
WANTED = {
    "crisp sweet orchard": "apple",
    "soft yellow tropics": "banana",
    "small red stone": "cherry",
    "caramel desert": "date",
    "cooked syrup": "elderberry",
    "purple tiny seeds": "fig",
    "wine vines": "grape",
    "hairy outside green inside": "kiwi",
    "sour juice for tea": "lemon",
    "drip orange juice": "mango",
    "vitamin C": "orange",
    "prunes": "plum",
}


def write_fruit(folder):
    """Write documents, queries and judgments; return the folder."""
    (folder / "qrels").mkdir(parents=True)
    documents = ({"_id": name, "title": "", "text": text} for name, text in FRUIT.items())
    queries = ({"_id": f"q-{name}", "text": text} for text, name in WANTED.items())
    for file, rows in (("corpus.jsonl", documents), ("queries.jsonl", queries)):
        (folder / file).write_text("".join(json.dumps(row) + "\n" for row in rows))
    rows = ["query-id\tcorpus-id\tscore", *(f"q-{name}\t{name}\t1" for name in WANTED.values())]
    (folder / "qrels" / "test.tsv").write_text("\n".join(rows) + "\n")
    return folder
