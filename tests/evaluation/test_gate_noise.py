"""The noise of systems themselves, which a gate counts in."""

from evaluation.gating_cases import decided


def test_noise_of_the_system_makes_verdicts_harder():
    """What passes by itself does not if scores vary from run to run."""
    before, after = [3] * 40, [2, 4, 3, 3] * 10
    assert decided(before, after, margin=0.06).verdict == "pass"
    noisy = decided(before, after, margin=0.06, noise_sd={"P@5": 0.3})
    assert noisy.verdict == "inconclusive"
    assert decided([4] * 12, [3] * 12, margin=0.25).verdict == "pass"
    assert decided([4] * 12, [3] * 12, margin=0.25, noise_sd={"P@5": 0.3}).verdict == "inconclusive"
