//! The terms of a run: the parts of its profile that are needed to explain its decisions later, as they were then.

use super::Plan;
use crate::profile::{IssueKind, OnGateMiss, OnRegression, Overall, Returned, SelectKey, Ties};
use crate::stop::Placed;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The settings that a run was decided by. The profile may have changed by the time someone asks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// The share of each dimension in the overall score; the weights add up to 1.
    pub weights: Vec<DimensionWeight>,
    /// The gate, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateTerms>,
    /// `true` if a candidate that ranks below the best is rolled back.
    #[serde(default)]
    pub rollback: bool,
    /// The settings of criteria beyond the bound that decisions hold, by the line of the profile.
    #[serde(default)]
    pub stop: BTreeMap<String, Value>,
    /// The comparison of candidates.
    pub select: SelectTerms,
    /// The condition under which a result goes to a person for review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<String>,
    /// The stages that make a candidate, in order.
    #[serde(default)]
    pub stages: Vec<String>,
    /// Validators, then judges, in the order of the panel.
    #[serde(default)]
    pub panel: Vec<PanelTerms>,
}

/// The weight of a dimension.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DimensionWeight {
    /// The dimension.
    pub dimension: String,
    /// Its weight in the overall score.
    pub weight: f64,
}

/// The gate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateTerms {
    /// The gated dimension.
    pub dimension: String,
    /// The score that it must reach.
    pub bound: f64,
    /// `true` if a correction that misses it ends the run.
    pub ends_on_correction: bool,
}

/// The comparison of candidates.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SelectTerms {
    /// The keys as the profile writes them: `no_critical`, `overall`, a dimension, `fewest: KIND`.
    pub order: Vec<String>,
    /// The better of two equal candidates: `first` or `last`.
    pub ties: String,
    /// The candidate that is returned: `best` or `last`.
    #[serde(rename = "return")]
    pub returned: String,
}

/// A judge or validator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PanelTerms {
    /// Its name.
    pub name: String,
    /// `true` if it is a validator.
    pub validator: bool,
}

impl Terms {
    /// The terms of a plan.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let policy = &plan.policy;
        let weighed = |dimension: &str, weight| DimensionWeight { dimension: dimension.to_owned(), weight };
        let weights = match &policy.overall {
            Overall::Weighted(weights) => {
                weights.iter().map(|(name, weight)| weighed(name, *weight)).collect()
            }
            Overall::From(name) => vec![weighed(name, 1.0)],
        };
        let gate = policy.gate.as_ref().map(|gate| GateTerms {
            dimension: gate.dimension.clone(),
            bound: gate.bound.get(),
            ends_on_correction: gate.on_correction == OnGateMiss::Stop,
        });
        let mut stop = BTreeMap::new();
        policy.stop.placed().for_each(|one| note(one, &mut stop));
        let key = |key: &SelectKey| match key {
            SelectKey::NoCritical => "no_critical".to_owned(),
            SelectKey::Score(target) => target.name().to_owned(),
            SelectKey::Fewest(kind) => format!("{FEWEST}{}", kind.as_str()),
        };
        let select = &policy.select;
        let members = plan.panel.members().iter();
        Terms {
            weights,
            gate,
            rollback: policy.on_regression == OnRegression::Rollback,
            stop,
            select: SelectTerms {
                order: select.order.iter().map(key).collect(),
                ties: if select.ties == Ties::First { "first" } else { "last" }.to_owned(),
                returned: if select.returned == Returned::Last { "last" } else { "best" }.to_owned(),
            },
            review: plan.profile.review.as_ref().map(|when| when.value.clone()),
            stages: plan.profile.stages.iter().map(|stage| stage.id.value.clone()).collect(),
            panel: members
                .map(|member| PanelTerms { name: member.id.to_string(), validator: member.is_validator() })
                .collect(),
        }
    }

    /// The weight of a dimension in the overall score.
    #[must_use]
    pub fn weight(&self, dimension: &str) -> f64 {
        self.weights.iter().filter(|one| one.dimension == dimension).map(|one| one.weight).sum()
    }
}

/// The beginning of a key that counts issues.
const FEWEST: &str = "fewest: ";

impl SelectTerms {
    /// The kind of issue that a key of the order counts.
    #[must_use]
    pub fn counted(key: &str) -> Option<IssueKind> {
        let kind = key.strip_prefix(FEWEST)?;
        IssueKind::ALL.into_iter().find(|known| known.as_str() == kind)
    }
}

/// Notes the terms of a criterion, and of the members of a group, that a decision's checks do not hold.
fn note(one: Placed<'_>, stop: &mut BTreeMap<String, Value>) {
    if let Some(terms) = one.criterion.terms() {
        stop.insert(one.line(0).to_string(), terms);
    }
    one.members().for_each(|member| note(member, stop));
}
