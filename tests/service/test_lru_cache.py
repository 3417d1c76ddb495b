"""What the service keeps in memory."""

from types import SimpleNamespace

from berryeval.service.lru_cache import LruCache


def test_what_was_used_last_stays():
    """The value that was not used for longest makes room."""
    made = []
    cache = LruCache(2)
    for key in ("a", "b", "a", "c", "a", "b"):
        cache.get_or_compute(key, lambda key=key: made.append(key))
    assert made == ["a", "b", "c", "b"]


def test_looking_at_a_value_uses_it():
    """But asking whether it is here does not."""
    cache = LruCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert "a" in cache
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert ("a" in cache, "b" in cache, cache.get("b")) == (True, False, None)


def test_values_have_sizes():
    """One that is larger than all the room is kept alone; one that is replaced counts once."""
    cache = LruCache(10, len)
    cache.put("a", "12345")
    cache.put("a", "123")
    cache.put("b", "1234567")
    assert ("a" in cache, "b" in cache) == (True, True)
    cache.put("c", "x" * 99)
    assert ("a" in cache, "b" in cache, "c" in cache) == (False, False, True)
    cache.put("d", "1")
    assert ("c" in cache, cache.get("d")) == (False, "1")


def test_the_newest_of_several_is_found():
    """By what its key says."""
    cache = LruCache(5)
    cache.put(("run", 1), "old")
    cache.put(("run", 2), "new")
    cache.put(("other", 1), "other")
    assert cache.find(lambda key: key[0] == "run") == "new"
    assert cache.find(lambda key: key[0] == "none") is None


def test_what_is_forgotten_makes_room():
    """And may be forgotten twice."""
    cache = LruCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    cache.forget("a")
    cache.forget("a")
    cache.put("c", 3)
    assert ("b" in cache, "c" in cache) == (True, True)


def test_values_expire(monkeypatch):
    """After their seconds they are not here, and make room at the next value."""
    now = SimpleNamespace(monotonic=lambda: 100.0)
    monkeypatch.setattr("berryeval.service.lru_cache.time", now)
    cache = LruCache(10, len, seconds=5.0)
    cache.put("a", "12345")
    now.monotonic = lambda: 104.9
    assert (cache.get("a"), cache.find(lambda key: key == "a")) == ("12345", "12345")
    now.monotonic = lambda: 105.0
    assert ("a" in cache, cache.get("a"), cache.take("a")) == (False, None, None)
    cache.put("a", "12345")
    now.monotonic = lambda: 200.0
    cache.put("b", "1234")
    assert (cache._size, cache.get_or_compute("a", lambda: "new")) == (4, "new")


def test_a_value_can_be_taken_once():
    """The second caller finds nothing."""
    cache = LruCache(2)
    cache.put("a", 1)
    assert (cache.take("a"), cache.take("a"), cache.get("a")) == (1, None, None)
