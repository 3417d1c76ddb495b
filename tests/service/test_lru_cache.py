"""The in-memory cache of the service."""

from types import SimpleNamespace

from berryeval.service.lru_cache import LruCache, at_least


def test_recently_used_values_stay():
    """The least recently used value is evicted."""
    made = []
    cache = LruCache(2)
    for key in ("a", "b", "a", "c", "a", "b"):
        cache.get_or_compute(key, lambda key=key: made.append(key))
    assert made == ["a", "b", "c", "b"]


def test_reading_a_value_counts_as_use():
    """Checking whether it exists does not."""
    cache = LruCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert "a" in cache
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert ("a" in cache, "b" in cache, cache.get("b")) == (True, False, None)


def test_values_have_sizes():
    """A value larger than the cache is kept alone; a replaced value counts once."""
    cache = LruCache(10, len)
    cache.put("a", "12345")
    cache.put("a", "123")
    cache.put("b", "1234567")
    assert ("a" in cache, "b" in cache) == (True, True)
    cache.put("c", "x" * 99)
    assert ("a" in cache, "b" in cache, "c" in cache) == (False, False, True)
    cache.put("d", "1")
    assert ("c" in cache, cache.get("d")) == (False, "1")


def test_the_newest_of_several_values_is_found():
    """A condition on the key selects them."""
    cache = LruCache(5)
    cache.put(("run", 1), "old")
    cache.put(("run", 2), "new")
    cache.put(("other", 1), "other")
    assert cache.find(lambda key: key[0] == "run") == (("run", 2), "new")
    assert cache.find(lambda key: key[0] == "none") is None


def test_removed_values_free_space():
    """A value may be removed twice."""
    cache = LruCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    cache.forget("a")
    cache.forget("a")
    cache.put("c", 3)
    assert ("b" in cache, "c" in cache) == (True, True)


def test_values_expire(monkeypatch):
    """They are missing afterwards, and free space when the next value is added."""
    now = SimpleNamespace(monotonic=lambda: 100.0)
    monkeypatch.setattr("berryeval.service.lru_cache.time", now)
    cache = LruCache(10, len, seconds=5.0)
    cache.put("a", "12345")
    now.monotonic = lambda: 104.9
    assert (cache.get("a"), cache.find(lambda key: key == "a")) == ("12345", ("a", "12345"))
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


def test_a_smallest_size_limits_the_number_of_values():
    """Few large values or many small ones fit, and never more than the number."""
    cache = LruCache(12, at_least(4, len))
    for key in "abcd":
        cache.put(key, "x")
    assert [key in cache for key in "abcd"] == [False, True, True, True]
    cache.put("e", "x" * 8)
    assert [key in cache for key in "bcde"] == [False, False, True, True]


def test_a_value_that_grows_is_dropped_with_the_size_it_was_stored_with():
    """The total stays right, so the limit holds."""
    cache = LruCache(10, len)
    grown = [1] * 4
    cache.put("a", grown)
    grown.extend([1] * 50)
    cache.forget("a")
    cache.put("b", [1] * 6)
    cache.put("c", [1] * 6)
    assert ("b" in cache, "c" in cache) == (False, True)
