# The public names, for editors and type checkers; __init__.py loads them when they are used.
# ruff: isort: skip_file

from berryeval import (
    fusion as fusion,
    measures as measures,
    metrics as metrics,
    ranking as ranking,
    stats as stats,
)
from berryeval.archive import Archive as Archive
from berryeval.client import Client as Client
from berryeval.core import (
    Document as Document,
    Documents as Documents,
    Query as Query,
    QueryType as QueryType,
    RelevanceJudgment as RelevanceJudgment,
)
from berryeval.core.judgments import Judgments as Judgments
from berryeval.core.run import Run as Run
from berryeval.errors import (
    AnswerError as AnswerError,
    ArchiveError as ArchiveError,
    ArgumentError as ArgumentError,
    BackendWarning as BackendWarning,
    BerryEvalError as BerryEvalError,
    ConflictError as ConflictError,
    FormatError as FormatError,
    InputError as InputError,
    InputTypeError as InputTypeError,
    MeasureSyntaxError as MeasureSyntaxError,
    MismatchError as MismatchError,
    MissingExtraError as MissingExtraError,
    NotFoundError as NotFoundError,
    ServiceError as ServiceError,
    SparkError as SparkError,
    SystemTimeoutError as SystemTimeoutError,
    SystemUnderTestError as SystemUnderTestError,
    UnknownMeasureError as UnknownMeasureError,
)
from berryeval.evaluation import (
    Baseline as Baseline,
    Comparison as Comparison,
    Evaluation as Evaluation,
    GateResult as GateResult,
    GateRules as GateRules,
    compare as compare,
    evaluate as evaluate,
    gate as gate,
)
from berryeval.evaluation.agreeing import (
    Agreement as Agreement,
    MeasuresAgreement as MeasuresAgreement,
    agree as agree,
    agree_measures as agree_measures,
)
from berryeval.evaluation.collected import (
    CollectedComparison as CollectedComparison,
    compare_scores as compare_scores,
)
from berryeval.evaluation.explain import (
    Explanation as Explanation,
    explain as explain,
)
from berryeval.evaluation.label_draw import (
    LabelDraw as LabelDraw,
    draw_labels as draw_labels,
)
from berryeval.evaluation.model_judgments import (
    ModelJudgments as ModelJudgments,
)
from berryeval.evaluation.overlap import (
    Overlap as Overlap,
    overlap as overlap,
)
from berryeval.evaluation.partitions import (
    ScoringPlan as ScoringPlan,
    gather_scores as gather_scores,
    score_partition as score_partition,
)
from berryeval.evaluation.sessions import (
    SessionScores as SessionScores,
    session_scores as session_scores,
)
from berryeval.evaluation.whole_runs import (
    catalogue_coverage as catalogue_coverage,
    context_length as context_length,
    intra_list_diversity as intra_list_diversity,
    novelty as novelty,
)
from berryeval.evaluation.reranking import (
    RerankingCeiling as RerankingCeiling,
    reranking_ceiling as reranking_ceiling,
)
from berryeval.evaluation.fusing import fuse as fuse
from berryeval.evaluation.tuning import (
    FusionTuning as FusionTuning,
    tune_fusion as tune_fusion,
)
from berryeval.formats import (
    Dataset as Dataset,
    iter_documents as iter_documents,
    read_dataset as read_dataset,
    read_documents as read_documents,
    read_judgments as read_judgments,
    read_queries as read_queries,
    read_run as read_run,
    write_judgments as write_judgments,
    write_run as write_run,
)
from berryeval.measures.names import (
    AP as AP,
    AP11 as AP11,
    AP_IA as AP_IA,
    BPM as BPM,
    DCG as DCG,
    ERR as ERR,
    ERR_IA as ERR_IA,
    F1 as F1,
    GMAP as GMAP,
    IDCG as IDCG,
    INSQ as INSQ,
    INST as INST,
    NCG as NCG,
    NERR8 as NERR8,
    NERR9 as NERR9,
    NERR10 as NERR10,
    NERR11 as NERR11,
    NRBP as NRBP,
    P_IA as P_IA,
    RBP as RBP,
    RR as RR,
    SDCG as SDCG,
    TBG as TBG,
    Bpref as Bpref,
    Compat as Compat,
    F as F,
    G as G,
    GMBpref as GMBpref,
    Hole as Hole,
    Holes as Holes,
    IPrec as IPrec,
    Judged as Judged,
    NumNonrelJudgedRet as NumNonrelJudgedRet,
    NumQ as NumQ,
    NumRel as NumRel,
    NumRelRet as NumRelRet,
    NumRet as NumRet,
    P as P,
    PairwiseAccuracy as PairwiseAccuracy,
    R as R,
    RBPResidual as RBPResidual,
    RelP as RelP,
    Rndcg as Rndcg,
    Rprec as Rprec,
    RprecMult as RprecMult,
    SetAP as SetAP,
    SetF as SetF,
    StRecall as StRecall,
    Success as Success,
    U as U,
    Unjudged as Unjudged,
    Utility as Utility,
    alpha_DCG as alpha_DCG,
    alpha_nDCG as alpha_nDCG,
    binG as binG,
    gERR_IA as gERR_IA,
    infAP as infAP,
    infNDCG as infNDCG,
    ms as ms,
    nDCG as nDCG,
    nDCGRel as nDCGRel,
    nERR_IA as nERR_IA,
    nNRBP as nNRBP,
    tokens as tokens,
    xinfAP as xinfAP,
    yaap as yaap,
)
from berryeval.measures.reader import (
    UserModel as UserModel,
    user_model as user_model,
)
from berryeval.search.opening import open_system as open_system
from berryeval.suite.evaluate_system import evaluate_system as evaluate_system

__version__: str
