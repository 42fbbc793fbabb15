//! `ensemble`: several measures, judges and validators made into one score.

use super::assess::{Measure, SecondSource, SecondTier};
use super::measure_keys::member;
use crate::diag::{Code, Problem, Problems};
use crate::value::decode::{Count, Decode, Spanned, unknown_word, wrong_type};
use crate::value::shape::{Shape, Word, words};
use crate::value::yaml::{Data, Node};
use crate::value::{Disposition, Score};
use crate::{decode_words, mapping};
use serde_json::Value;

/// Greatest weight: far above any sensible one, and sums of them stay exact.
const MOST_WEIGHT: f64 = 1_000.0;

/// The way in which the scores of a dimension become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combine {
    /// The first judge or validator that has one; that of tier 1 only when none has.
    First,
    /// The lowest.
    Min,
    /// The highest.
    Max,
    /// The arithmetic mean.
    Mean,
    /// The middle one, or the mean of the two middle ones.
    Median,
    /// The mean, each counting by its weight.
    Weighted,
}

impl Combine {
    /// The word in YAML.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Combine::First => "first",
            Combine::Min => "min",
            Combine::Max => "max",
            Combine::Mean => "mean",
            Combine::Median => "median",
            Combine::Weighted => "weighted",
        }
    }
}

decode_words!(Combine, "way to combine", {
    "min": "The lowest." => Combine::Min,
    "max": "The highest." => Combine::Max,
    "mean": "The arithmetic mean." => Combine::Mean,
    "median": "The middle one, or the mean of the two middle ones." => Combine::Median,
    "weighted": "The mean, each member counting by its `weight`." => Combine::Weighted,
});

/// The weight of a member in a weighted mean, in proportion to the others: greater than 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weight(f64);

impl Weight {
    /// The weight of a member that sets none.
    pub const ONE: Weight = Weight(1.0);

    /// The number.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

mapping! {
    /// The rule for members of an ensemble that differ too much to be combined silently.
    "disagreement" is "rule for disagreement", expects "`{ above: 0.3, then: escalate }`";
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Disagreement {
        /// The greatest difference between the highest and the lowest score that is not an issue, from 0 to 1.
        #[key(required, examples(&["0.3"]))]
        pub above: Score,
        /// The disposition of the issue: who gets to see it.
        #[key(shaped(|| Shape::Words(AFTER_DISAGREEMENT.to_vec())), default("escalate"), examples(&["warn"]))]
        pub then: Disposition = then,
    }
}

static AFTER_DISAGREEMENT: [Word; 2] = [
    Word { word: "escalate", doc: "A critical issue: a person must decide." },
    Word { word: "warn", doc: "An issue that is only shown." },
];

fn then(node: &Node, problems: &mut Problems) -> Option<Disposition> {
    match node.as_text() {
        Some("escalate") => Some(Disposition::Escalate),
        Some("warn") => Some(Disposition::Warn),
        Some(word) => {
            let known = words(&AFTER_DISAGREEMENT);
            unknown_word(&node.span, "disposition of a disagreement", word, &known, problems)
        }
        None => wrong_type(node, "`escalate` or `warn`", problems),
    }
}

mapping! {
    /// Several measures, judges and validators made into one score.
    "ensemble_measure" is "measure";
    pub(super) struct EnsembleMeasure {
        /// The members, and the way in which their scores become one.
        #[key(required, examples(&[
            "{ members: [{ rules: literature, penalty: 0.1 }, { judge: verification, score: /accuracy }], combine: min }"
        ]))]
        ensemble: Ensemble,
    }
}

mapping! {
    /// Several measures, judges and validators made into one score. Without `quorum` all must be available.
    "ensemble" is "ensemble", expects "a mapping with `members`";
    struct Ensemble {
        /// The measures, judges and validators: two or more.
        #[key(
            shaped(|| Shape::list(member())),
            required,
            missing("add `members:` with a list of measures"),
            examples(&["[{ rubric: clinical }, { judge: verification, score: /completeness }]"])
        )]
        members: Spanned<Vec<Node>> as Value = members,
        /// The way in which the scores become one. Beside judges and validators all but `min` and `max` take one
        /// measure only.
        #[key(default("min"), examples(&["median"]))]
        combine: Combine,
        /// The number of judges and validators that must have answered; those that failed are left out. Below it the
        /// dimension has no score, and a person is notified. Without it, all must have answered.
        #[key(examples(&["1"]))]
        quorum: Option<Spanned<Count>>,
        /// The rule for members' scores that lie too far apart. Without it they may.
        #[key(examples(&["{ above: 0.3, then: escalate }"]))]
        disagreement: Option<Disagreement>,
    }
}

fn members(node: &Node, problems: &mut Problems) -> Option<Spanned<Vec<Node>>> {
    match &node.data {
        Data::List(items) => Some(Spanned { value: items.clone(), span: node.span.clone() }),
        _ => wrong_type(node, "a list of measures", problems),
    }
}

/// Reads `ensemble: { members: […], combine: min }`, whose members are measures, judges and validators.
pub(super) fn decode_ensemble(node: &Node, problems: &mut Problems) -> Option<(Measure, Option<SecondTier>)> {
    let Ensemble { members, combine, quorum, disagreement } =
        EnsembleMeasure::read_mapping(node, problems)?.ensemble;
    let items = &members.value;
    let mut local = Vec::new();
    let mut sources = Vec::new();
    for item in items {
        let (item, weight) = take_weight(item, combine, problems);
        if item.get("judge").is_some() || item.get("external").is_some() {
            let source = SecondSource::decode(&item, problems);
            sources.extend(source.map(|source| SecondSource { weight, ..source }));
            continue;
        }
        match Measure::decode(&item, problems) {
            Some(Measure::Given) => problems.push(
                Problem::error(Code::Conflict, &item.span, "a score that is given can't be a member")
                    .help("give the dimension itself, or take this member out"),
            ),
            measure => local.extend(measure.map(|measure| (measure, weight))),
        }
    }
    if items.len() < 2 {
        problems.push(
            Problem::error(Code::Empty, &members.span, "an ensemble has two members or more")
                .help("write a single measure itself, without `ensemble`"),
        );
    }
    // A mean of means is another number; the lowest of the lowest is not.
    if local.len() > 1 && !sources.is_empty() && !matches!(combine, Combine::Min | Combine::Max) {
        problems.push(
            Problem::error(
                Code::Conflict,
                &members.span,
                format!("beside judges and validators, `{}` takes one measure", combine.as_str()),
            )
            .help("combine by `min` or `max`, or give each measure a dimension of its own"),
        );
    }
    let least = quorum.as_ref().map(|quorum| quorum.value.0 as usize);
    if let (Some(quorum), Some(Spanned { span, .. })) = (least, &quorum)
        && !(1..=sources.len()).contains(&quorum)
    {
        let problem = match sources.len() {
            0 => "a quorum counts judges and validators, and this ensemble has none".to_owned(),
            most => {
                format!("this ensemble has {most} judges and validators, so its quorum can't be {quorum}")
            }
        };
        problems.push(
            Problem::error(Code::OutOfRange, span, problem).help("say how many of them must have answered"),
        );
    }
    let weight = local.first().map_or(Weight::ONE, |(_, weight)| *weight);
    let second =
        (!sources.is_empty()).then_some(SecondTier { sources, combine, weight, quorum: least, disagreement });
    let measure = match local.len() {
        0 => Measure::Given,
        1 => local.swap_remove(0).0,
        // If a second tier follows, it sees whether they all agree.
        _ => Measure::Ensemble {
            members: local,
            combine,
            disagreement: disagreement.filter(|_| second.is_none()),
        },
    };
    Some((measure, second))
}

/// A member without its `weight`, and the weight.
fn take_weight(item: &Node, combine: Combine, problems: &mut Problems) -> (Node, Weight) {
    let mut item = item.clone();
    let Data::Map(entries) = &mut item.data else { return (item, Weight::ONE) };
    let Some(at) = entries.iter().position(|entry| entry.key == "weight") else { return (item, Weight::ONE) };
    let entry = entries.remove(at);
    if combine != Combine::Weighted {
        problems.push(
            Problem::error(
                Code::Conflict,
                &entry.key_span,
                format!("a weight means nothing with `combine: {}`", combine.as_str()),
            )
            .help("write `combine: weighted`, or take the weight out"),
        );
    }
    (item, Weight::decode(&entry.value, problems).unwrap_or(Weight::ONE))
}

impl Decode for Weight {
    const EXPECTED: &'static str = "a number greater than 0";

    fn shape() -> Shape {
        Shape::positive(MOST_WEIGHT)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let weight = f64::decode(node, problems)?;
        if weight > 0.0 && weight <= MOST_WEIGHT {
            return Some(Weight(weight));
        }
        let problem = format!("a weight is greater than 0 and at most {MOST_WEIGHT}, found {weight}");
        problems.push(
            Problem::error(Code::OutOfRange, &node.span, problem)
                .help("leave a member out that should not count"),
        );
        None
    }
}
