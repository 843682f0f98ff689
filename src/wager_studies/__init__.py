"""The papers' experiments, rerun, with published numbers and ours side by side."""

# The module of each study; its variable STUDY is the study.
STUDIES = {
    "zaffalon-2011-artificial": "wager_studies.zaffalon._artificial",
    "zaffalon-2011-krkp": "wager_studies.zaffalon._krkp",
    "zaffalon-bets": "wager_studies.zaffalon._bets",
    "zaffalon-2012-nbc-ncc": "wager_studies.zaffalon._nbc_ncc",
    "zaffalon-2012-credal": "wager_studies.zaffalon._credal",
    "zaffalon-2012-ndc": "wager_studies.zaffalon._ndc",
    "zaffalon-2012-ndc-size": "wager_studies.zaffalon._ndc_size",
    "zaffalon-2012-rejection": "wager_studies.zaffalon._rejection",
    "hope-korb-2004-artificial": "wager_studies.hope_korb._artificial",
    "hope-korb-2004-uci": "wager_studies.hope_korb._uci",
    "hope-korb-rewards": "wager_studies.hope_korb._rewards",
    "hope-korb-metametric": "wager_studies.hope_korb._metametric",
    "yang-2017-tables": "wager_studies.yang._tables",
    "yang-2017-calibration": "wager_studies.yang._calibration",
    "yang-2017-comparison": "wager_studies.yang._comparison",
    "sondhauss-weihs-2001": "wager_studies.sondhauss_weihs._example",
    "sondhauss-weihs-data": "wager_studies.sondhauss_weihs._data",
    "conformal-vs-credal": "wager_studies.findings._comparison",
    "tuned-caution": "wager_studies.findings._tuned_caution",
    "robustness-ranks-errors": "wager_studies.findings._robustness",
    "exact-credal-costs": "wager_studies.yang._exact_costs",
    "caution-tuned-for-costs": "wager_studies.yang._tuned_costs",
    "betting-general-costs": "wager_studies.yang._betting",
}
