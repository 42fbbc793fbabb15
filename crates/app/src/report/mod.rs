//! Reports about runs for people and programs: pure functions of events and results.

mod calibration;
mod comparison;
mod evaluation;
mod figures;
mod junit;
mod live;
mod model;
mod page;
mod pages;
mod paint;
mod policy_changes;
mod progress;
mod proof;
mod rescoring;
mod reviews;
mod run_summary;
mod runs;
mod scenarios;
mod summary;
mod sweep;

pub use calibration::{audit_text, evidence_text, needed_text};
pub use comparison::comparison;
pub use figures::{dollars, duration, percent, thousands};
pub use junit::junit;
pub use live::decision_line;
pub use live::{Live, missed};
pub use model::{
    Column, Fact, LinePlot, MOST_SERIES, Parts, Series, Tile, Tone, fact_list, facts, figure, figures,
    page_table, swatch, tile, tile_list, word, words,
};
pub use page::{STYLE, escape_html};
pub use pages::{
    PageOptions, calibration_html, calibration_text, evaluation_html, evaluation_text, render_html,
    render_text, sweep_html, sweep_text,
};
pub use paint::Paint;
pub use policy_changes::{documents_text, policy_changes_text};
pub use progress::{PlainSteps, Progress};
pub use proof::{ComparisonReport, ProofReport, comparison_json, comparison_text, proof_json, proof_text};
pub use rescoring::{rescoring_json, rescoring_lines};
pub use reviews::{review_queue_text, reviewed_document_text};
pub use run_summary::{LookAt, LookAtIssue, RunFacts, RunSummary, Why};
pub use runs::{run_list_text, run_stages_text};
pub use scenarios::suite_lines;
pub use scenarios::{suites_closing, suites_json, unusable_line};
pub use summary::{assessment_table, closing, document_summary};
