//! A profile with everything that it reaches, compiled once: the basis of a run, a simulation, a lint and an
//! explanation. It calls no one and writes nothing.

mod answers;
mod compiled;
mod context;
mod missing_files;
mod reference_path;
mod repairers;
mod shown_pages;
mod stage_plan;
mod terms;
mod typing;

pub use compiled::Plan;
pub use context::{DocumentContext, Given};
pub use reference_path::reference_path;
pub use repairers::Repairers;
pub use shown_pages::MOST_ATTACHED_PAGES;
pub use stage_plan::{JudgePlan, StagePlan, ValidatorPlan};
pub use terms::{DimensionWeight, GateTerms, PanelTerms, SelectTerms, Terms};
