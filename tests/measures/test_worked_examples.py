"""Each measure on one ranking, computed by hand."""

import math

import pytest

from berryeval.core.lengths import SizedGrade
from berryeval.kernels.relevance import NOT_IN_POOL, UNJUDGED
from berryeval.measures import (
    DCG,
    F1,
    IDCG,
    INSQ,
    INST,
    NCG,
    NDCG,
    NERR8,
    NERR9,
    NERR10,
    NERR11,
    AlphaDCG,
    AlphaNDCG,
    AveragePrecision,
    BejeweledPlayerModel,
    BinaryNormalisedGain,
    Bpref,
    Compatibility,
    ElevenPointAverage,
    ExpectedReciprocalRank,
    FBeta,
    GeometricAveragePrecision,
    GeometricBpref,
    GradedIntentAwareERR,
    HitRate,
    Hole,
    Holes,
    InferredAveragePrecision,
    InferredNDCG,
    IntentAwareAveragePrecision,
    IntentAwareERR,
    IntentAwarePrecision,
    InterpolatedPrecision,
    Judged,
    NDCGAtGainLevels,
    NDCGAtRelevant,
    NormalisedGain,
    NormalisedIntentAwareERR,
    NormalisedNoveltyRBP,
    NoveltyRBP,
    NumNonrelevantRetrieved,
    NumQueries,
    NumRelevant,
    NumRelevantRetrieved,
    NumRetrieved,
    PairwiseAccuracy,
    Precision,
    RankBiasedPrecision,
    RankBiasedResidual,
    Recall,
    ReciprocalRank,
    RelativePrecision,
    RPrecision,
    RPrecisionAtMultiple,
    ScaledDCG,
    SetAveragePrecision,
    SetF,
    StratifiedInferredAP,
    SubtopicRecall,
    TimeBiasedGain,
    Tokens,
    UMeasure,
    Unjudged,
    Utility,
    Yaap,
    all_measures,
)  # fmt: skip

# Six returned: not relevant, 2, unknown, 1, in the pool but unjudged, 0. A 3 was missed.
GRADES = [
    SizedGrade(grade, length)
    for grade, length in zip(
        [0.0, 2.0, NOT_IN_POOL, 1.0, UNJUDGED, 0.0],
        [100.0, 40.0, 60.0, 10.0, 5.0, 0.0],
        strict=True,
    )
]
JUDGED = [3.0, 2.0, 1.0, 0.0, 0.0, 0.0]

LOG3, LOG5 = math.log2(3), math.log2(5)
DCG_ALL = 2 / LOG3 + 1 / LOG5
DCG_ALL_AS_1 = 1 / LOG3 + 1 / LOG5
IDEAL = 3 + 2 / LOG3 + 1 / 2

# What six documents could gain that each serve the single intent.
MAX_BY_LOG2 = sum(0.5**i / math.log2(i + 2) for i in range(6))
MAX_BY_RANK = sum(0.5**i / (i + 1) for i in range(6))

WORKED = [
    (AlphaDCG(), (1 / LOG3 + 0.5 / LOG5) / MAX_BY_LOG2),
    (AlphaNDCG(), (1 / LOG3 + 0.5 / LOG5) / (1 + 0.5 / LOG3 + 0.25 / 2)),
    (AlphaNDCG(3, rel=2), (1 / LOG3) / (1 + 0.5 / LOG3)),
    (GradedIntentAwareERR(), (3 / 16) / 2 + (13 / 16) * (1 / 16) / 4),
    (GradedIntentAwareERR(2, max_grade=2), (3 / 4) / 2),
    (IntentAwareAveragePrecision(), (1 / 2 + 2 / 4) / 3),
    (IntentAwareERR(), (1 / 2 + 0.5 / 4) / MAX_BY_RANK),
    (IntentAwarePrecision(), 2 / 6),
    (IntentAwarePrecision(2), 1 / 2),
    (NormalisedIntentAwareERR(), (1 / 2 + 0.5 / 4) / (1 + 0.5 / 2 + 0.25 / 3)),
    (NormalisedNoveltyRBP(), (1 / 2 + 0.5 / 8) / (1 + 0.5 / 2 + 0.25 / 4)),
    (NoveltyRBP(), 0.75 * (1 / 2 + 0.5 / 8)),
    (SubtopicRecall(1), 0.0),
    (SubtopicRecall(), 1.0),
    (AveragePrecision(), (1 / 2 + 2 / 4) / 3),
    (AveragePrecision(3), (1 / 2) / 3),
    (AveragePrecision(rel=2), (1 / 2) / 2),
    (GeometricAveragePrecision(), (1 / 2 + 2 / 4) / 3),
    (BinaryNormalisedGain(), (1 / LOG3 + 1 / 2) / 3),
    # One of three judged non-relevant documents above each relevant one that was found.
    (Bpref(), (2 / 3 + 2 / 3) / 3),
    (GeometricBpref(), (2 / 3 + 2 / 3) / 3),
    (DCG(), DCG_ALL),
    (DCG(gain="exp2"), 3 / LOG3 + 1 / LOG5),
    (IDCG(), IDEAL),
    (IDCG(1), 3.0),
    (NDCG(), DCG_ALL / IDEAL),
    (NDCG(2, gain={2: 5}), (5 / LOG3) / (5 + 3 / LOG3)),
    (NDCG(rel=2), (2 / LOG3) / (3 + 2 / LOG3)),
    (NDCGAtRelevant(), ((2 / LOG3) / (3 + 2 / LOG3) + 2 * DCG_ALL / IDEAL) / 3),
    # After ranks 1, 2 and 3, where the ideal gain falls, and at the end.
    (
        NDCGAtGainLevels(),
        (0 + (2 / LOG3) / (3 + 2 / LOG3) + (2 / LOG3) / IDEAL + DCG_ALL / IDEAL) / 4,
    ),
    # Costs 3, 2, 1, 1: 5 - 2 are not gained at rank 2, and 7 - 3 at rank 4.
    (NormalisedGain(), (2 / LOG5 + 1 / math.log2(6)) / 6),
    # A rank costs at least 1, however small the possible gain.
    (
        NormalisedGain(gain={1: 0.5, 2: 0.5, 3: 0.5}),
        (0.5 / math.log2(3.5) + 0.5 / LOG5) / 1.5,
    ),
    (NDCGAtGainLevels(rel=4), 0.0),
    (NCG(2), 2 / 5),
    (NCG(), 3 / 6),
    (ExpectedReciprocalRank(), (3 / 16) / 2 + (13 / 16) * (1 / 16) / 4),
    (ExpectedReciprocalRank(2, max_grade=2), (3 / 4) / 2),
    (RankBiasedPrecision(p=0.5), 1 / 4 + 1 / 16),
    (RankBiasedPrecision(p=0.5, max_grade=2), 1 / 4 + 1 / 32),
    (RankBiasedPrecision(2, p=0.5), 1 / 4),
    (RankBiasedResidual(p=0.5), 1 / 8 + 1 / 32 + 1 / 64),
    (F1(4), 2 * (2 / 4) * (2 / 3) / (2 / 4 + 2 / 3)),
    (FBeta(4, beta=2), 5 * (2 / 4) * (2 / 3) / (4 * 2 / 4 + 2 / 3)),
    (SetF(x=4), 5 * (2 / 6) * (2 / 3) / (2 / 3 + 4 * 2 / 6)),
    (SetAveragePrecision(), (2 / 6) * (2 / 3)),
    (HitRate(1), 0.0),
    (HitRate(2), 1.0),
    (HitRate(2, rel=3), 0.0),
    # Above rank 2: one judged, not relevant. Above rank 4: two of three in the pool.
    (
        InferredAveragePrecision(),
        ((1 / 2 + 1 / 2 * 1e-5 / (1 + 2e-5)) + (1 / 4 + 3 / 4 * (2 / 3) * (1 + 1e-5) / (2 + 2e-5)))
        / 3,
    ),
    (
        StratifiedInferredAP(),
        ((1 + 1e-5 / (1 + 3e-5)) / 2 + (1 + 2 * (1 + 1e-5) / (2 + 3e-5)) / 4) / 3,
    ),
    (StratifiedInferredAP(3), ((1 + 1e-5 / (1 + 3e-5)) / 2) / 3),
    # Of five retrieved documents of the pool, four are judged; of the first two, both.
    (InferredNDCG(), (5 / 4) * DCG_ALL / IDEAL),
    (InferredNDCG(2), (2 / LOG3) / (3 + 2 / LOG3)),
    (InterpolatedPrecision(recall=0.5), 1 / 2),
    (InterpolatedPrecision(recall=1), 0.0),
    # Recall 0.8 of three is 2.4 documents: three in trec_eval 9.0.8, two in 10.0.
    (ElevenPointAverage(), 8 * (1 / 2) / 11),
    (ElevenPointAverage(rounding="nearest"), 9 * (1 / 2) / 11),
    (Hole(), 1 / 6),  # the unknown one; the other unjudged document is in the pool
    (Hole(10), 1 / 10),
    (Judged(3), 2 / 3),
    (Judged(10), 4 / 6),
    (Unjudged(3), 1 / 3),
    (Unjudged(10), 2 / 10),
    (NumQueries(), 1.0),
    (NumRetrieved(), 6.0),
    (NumRelevant(), 3.0),
    (NumRelevant(rel=2), 2.0),
    (NumRelevantRetrieved(), 2.0),
    (NumRelevantRetrieved(3), 1.0),
    (NumNonrelevantRetrieved(), 2.0),
    (Holes(), 2.0),
    (Holes(3), 1.0),
    (Precision(4), 2 / 4),
    (Precision(10), 2 / 10),
    (Precision(), 2 / 6),
    (Recall(3), 1 / 3),
    (Recall(), 2 / 3),
    (RelativePrecision(2), 1 / 2),
    (RelativePrecision(10), 2 / 3),
    (RelativePrecision(), 2 / 3),
    (RPrecision(), 1 / 3),
    (RPrecisionAtMultiple(times=2), 2 / 6),
    (RPrecisionAtMultiple(times=2, rel=2), 1 / 4),
    (ReciprocalRank(), 1 / 2),
    (ReciprocalRank(1), 0.0),
    (Utility(), 2.0 - 4.0),
    (Utility(worth=(0, 0, -1, 1), n_documents=10), -1.0 + 3.0),
    (Yaap(), math.log((1 + 1) / (1 + 3 - 1))),
    # Of four others, one is above the first relevant document, and two above the second.
    (PairwiseAccuracy(), 1 - (1 + 2) / (2 * 4)),
    (PairwiseAccuracy(2), 0.0),
    (PairwiseAccuracy(rel=3), 0.0),
    # With the defaults, both documents gain 1.
    (BejeweledPlayerModel(5), 1 / 2),
    (BejeweledPlayerModel(3, T=2), 1 / 3),
    (BejeweledPlayerModel(8, T=2), 2 / 4),
    (BejeweledPlayerModel(8, T=0.75, max_grade=4), (2 + 1) / 4 / 4),
    (BejeweledPlayerModel(8, T=9, min_grade=1, max_grade=3), 1 / 2 / 8),
    (INSQ(T=0.5), (1 / 4 + 1 / 16) / math.fsum(1 / i**2 for i in range(1, 1001))),
    # Ranks are seen with 1, 1/4; 1/16, 1/36 after the first gain; 1/36 (2 / i)^2 after the second.
    (
        INST(T=0.5),
        (1 / 4 + 1 / 36)
        / (1 + 1 / 4 + 1 / 16 + 1 / 36 + math.fsum(1 / 9 / i**2 for i in range(3, 999))),
    ),
    (ScaledDCG(4), DCG_ALL_AS_1 / (1 + 1 / LOG3 + 1 / 2 + 1 / LOG5)),
    (ScaledDCG(2, max_grade=4), (1 / 2) / LOG3 / (1 + 1 / LOG3)),
    (NERR8(5), 1 / 2),
    # Gains 1/2 at rank 2, and 1/4 at rank 4: seen with 1, 1, 1/2, 1/2, 3/8.
    (NERR8(5, max_grade=4), (1 / 2 + 1 / 8) / (2 + 1 + 3 / 8)),
    (NERR9(5), (1 / 2) / (1 + 1 / 2)),
    (NERR9(4, max_grade=4), (1 / 4 + 1 / 32) / (1 + 1 / 2 + 1 / 6 + 1 / 8)),
    (NERR10(p=0.5), (1 / 2) / (1 + 1 / 2)),
    (NERR11(T=0.5), (1 / 4) / (1 + 1 / 4)),
    # The ideal is the missed document, then ranks 2 and 4. Shared are 1 from depth 2, 2 from 4.
    (
        Compatibility(p=0.5),
        ((1 / 2) * 1 / 2 + (1 / 4) * 1 / 3 + (1 / 8) * 2 / 4 + (1 / 16) * 2 / 5 + (1 / 32) * 2 / 6)
        / (1 + 1 / 2 + 1 / 4 + (1 / 8) * 3 / 4 + (1 / 16) * 3 / 5 + (1 / 32) * 3 / 6),
    ),
    (Tokens(), 215.0),
    (Tokens(2), 140.0),
    (Tokens(2, judged_only=True), 140.0),
    (Tokens(3, judged_only=True), 150.0),
    # The second document is reached after 2 + 100/4 s, the fourth 2 + 40/2 and 2 + 60/4 s later.
    (
        TimeBiasedGain(halflife=20, scan=2, page=0, pace=1, click=0.5, stray=0.25, save=0.5),
        (2 ** (-27 / 20) + 2 ** (-66 / 20)) / 4,
    ),
    (TimeBiasedGain(2, rel=3), 0.0),
    # Snippets of 10, and half of 40 and of 10: the relevant documents end at 40 and at 65.
    (UMeasure(L=100, snippet=10, read=0.5, max_grade=2), 3 / 4 * 0.6 + 1 / 4 * 0.35),
    (UMeasure(3, L=50, snippet=10, read=0.5, max_grade=2), 3 / 4 * 0.2),
    (Precision(3, judged_only=True), 2 / 3),
    (NDCG(2, judged_only=True), (2 / LOG3) / (3 + 2 / LOG3)),
]


@pytest.mark.parametrize(("measure", "expected"), WORKED, ids=str)
def test_a_measure_matches_its_definition(measure, expected):
    """A reader can redo the arithmetic."""
    assert measure.score(GRADES, JUDGED) == pytest.approx(expected, abs=1e-12)


def test_every_measure_has_an_example():
    """Each is in the table above."""
    of_rankings = {measure for measure in all_measures() if not measure.uses_timings}
    assert {type(measure) for measure, _ in WORKED} == of_rankings
