//! The parties that a run asks: the providers of its stages, validators and judges.

use super::PlannedRun;
use super::providers::{providers_or_warn, say_whose_prices_hold};
use crate::context::Context;
use crate::failure::Failure;
use crate::plan::{JudgePlan, Plan, ValidatorPlan};
use crate::plans::read_prices;
use crate::profile::Asked;
use crate::provider::Recorder;
use crate::run::{Candidates, Consultant, asked_of, open_panel, open_stages, plan_ids, plugins_of, unpriced};
use crate::streams::Streams;
use crate::value::sanitize_line;
use serde_json::Value;

/// The parties that a run may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConsultedParties {
    /// Stages, validators and judges.
    All,
    /// None off this machine: the candidate is supplied, judges are done without, and of the validators only programs
    /// run.
    OnThisMachine,
}

/// The parties of a run, opened.
pub(super) struct Parties {
    pub(super) candidates: Candidates,
    pub(super) consultants: Vec<Consultant>,
}

impl Parties {
    /// Opens the parties of a run, and reports whose prices hold and which are missing.
    pub(super) fn open(
        planned: &PlannedRun,
        recorder: Option<&Recorder>,
        context: &Context,
        output: &mut Streams,
    ) -> Result<Self, Failure> {
        let PlannedRun { plan, request, .. } = planned;
        let prices = read_prices(request.prices.as_deref(), context, output)?;
        if planned.consulted == ConsultedParties::All && !request.quiet {
            say_whose_prices_hold(context, output);
        }
        let providers = providers_or_warn(context, output)
            .with_programs_allowed(request.allow_commands)
            .with_prices(prices)
            .with_network(plan.profile.network.clone());
        let providers = recorder.into_iter().cloned().fold(providers, crate::provider::Providers::with_tape);
        let parties = match planned.consulted {
            ConsultedParties::All => Parties {
                candidates: open_stages(&providers, plan)?,
                consultants: open_panel(&providers, plan, request.allow_commands)?,
            },
            ConsultedParties::OnThisMachine => {
                let consultants = consultants_here(plan, request.allow_commands);
                Parties { candidates: Candidates::Supplied, consultants }
            }
        };
        for warning in unpriced(plan, &parties.candidates, &parties.consultants) {
            let word = output.err_paint.warn("warning:");
            output.say(&format!("{word} {}", sanitize_line(&warning)));
        }
        Ok(parties)
    }

    /// The providers that are asked, as records of runs have them.
    pub(super) fn asked(&self, plan: &Plan) -> Value {
        asked_of(&plan_ids(plan), &self.candidates, &self.consultants)
    }

    /// The plugins of these providers.
    pub(super) fn plugins(&self) -> Value {
        plugins_of(&self.candidates, &self.consultants)
    }
}

/// The panel without members off this machine.
fn consultants_here(plan: &Plan, allow_commands: bool) -> Vec<Consultant> {
    let validator = |planned: &ValidatorPlan| match &planned.validator.asked {
        Asked::Command { .. } if allow_commands => Consultant::Validator,
        Asked::Command { .. } => {
            Consultant::NotRun("a profile's programs run with `--allow-commands` only".to_owned())
        }
        Asked::Service { .. } => {
            Consultant::NotRun("`validate` asks no services; `loopctl run` does".to_owned())
        }
    };
    let judge = |_: &JudgePlan| Consultant::NotRun("no judge is asked without a provider".to_owned());
    plan.validators.iter().map(validator).chain(plan.judges.iter().map(judge)).collect()
}
