//! Every mapping of a profile with its keys: what the decoders beside this folder read.

mod decide;
mod measures;
mod profile;

pub(super) use decide::{ACCEPT, DISPOSITIONS, GATE, OVERALL_FROM, OVERALL_WEIGHTS, REVIEW};
pub(super) use measures::{
    CODE, CODES, DISAGREEMENT, ENSEMBLE, EXTERNAL, GROUNDING, KEYWORD_ISSUE, MEASURE_ENSEMBLE,
    MEASURE_EXTERNAL, MEASURE_GIVEN, MEASURE_GROUNDING, MEASURE_JUDGE, MEASURE_RUBRIC, MEASURE_RULES,
    MEASURE_SCHEMA, MEASURE_SCRIPT, MEMBER_EXTERNAL, MEMBER_JUDGE, measure,
};
pub(crate) use profile::PROFILE;
