//! `ensemble`: several measures, judges and validators made into one score.

use super::assess::{Measure, SecondSource, SecondTier};
use super::measure_keys as keys;
use crate::decode_words;
use crate::diag::{Code, Problem, Problems};
use crate::value::decode::{Count, Decode, Fields, unknown_word, wrong_type};
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Node};
use crate::value::{Disposition, Score};

/// Greatest weight: far above any sensible one, and sums of them stay exact.
const MOST_WEIGHT: f64 = 1_000.0;

/// How the scores of a dimension become one.
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

/// How much a member counts in a weighted mean, in proportion to the others: greater than 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weight(f64);

impl Weight {
    /// What a member counts that does not say.
    pub const ONE: Weight = Weight(1.0);

    /// The number.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

/// When the members of an ensemble differ too much to be made into one number without a word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Disagreement {
    /// The greatest difference between the highest and the lowest score that is no issue.
    pub above: Score,
    /// Who gets to see it: a person decides, or it is only shown.
    pub then: Disposition,
}

/// Reads `ensemble: { members: […], combine: min }`, whose members are measures, judges and validators.
pub(super) fn decode_ensemble(node: &Node, problems: &mut Problems) -> Option<(Measure, Option<SecondTier>)> {
    let mut outer = Fields::open(node, &keys::MEASURE_ENSEMBLE, problems)?;
    let inner = outer.node("ensemble")?;
    outer.finish(problems);
    let mut fields = Fields::open(inner, &keys::ENSEMBLE, problems)?;
    let members = fields.node("members").or_else(|| {
        problems.push(
            Problem::error(Code::MissingKey, &inner.span, "this ensemble lacks `members`")
                .help("add `members:` with a list of measures"),
        );
        None
    });
    let combine = fields.or("combine", Combine::Min, problems);
    let quorum = fields.optional::<Count>("quorum", problems).map(|count| count.0 as usize);
    let quorum_span = fields.key_span("quorum").cloned();
    let disagreement = fields.optional("disagreement", problems);
    fields.finish(problems);
    let members = members?;
    let Data::List(items) = &members.data else {
        return wrong_type(members, "a list of measures", problems);
    };
    let mut local = Vec::new();
    let mut sources = Vec::new();
    for item in items {
        let (item, weight) = take_weight(item, combine, problems);
        if item.get("judge").is_some() || item.get("external").is_some() {
            let mapping = if item.get("external").is_some_and(|node| !matches!(node.data, Data::Null)) {
                &keys::MEMBER_EXTERNAL
            } else {
                &keys::MEMBER_JUDGE
            };
            let Some(fields) = Fields::open(&item, mapping, problems) else { continue };
            let mut fields = fields.without("external");
            let source = SecondSource::decode(&mut fields, problems);
            sources.extend(source.map(|source| SecondSource { weight, ..source }));
            fields.finish(problems);
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
    if let (Some(quorum), Some(span)) = (quorum, &quorum_span)
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
        (!sources.is_empty()).then_some(SecondTier { sources, combine, weight, quorum, disagreement });
    let measure = match local.len() {
        0 => Measure::Given,
        1 => local.swap_remove(0).0,
        // Where a second tier follows, it sees whether they all agree.
        _ => Measure::Ensemble {
            members: local,
            combine,
            disagreement: disagreement.filter(|_| second.is_none()),
        },
    };
    Some((measure, second))
}

/// A member without its `weight`, and that.
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

impl Decode for Disagreement {
    const EXPECTED: &'static str = "`{ above: 0.3, then: escalate }`";

    fn shape() -> Shape {
        Shape::Mapping(&keys::DISAGREEMENT)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, &keys::DISAGREEMENT, problems)?;
        let above = fields.required("above", problems);
        let then = match fields.node("then") {
            None => Some(Disposition::Escalate),
            Some(node) => match node.as_text() {
                Some("escalate") => Some(Disposition::Escalate),
                Some("warn") => Some(Disposition::Warn),
                Some(word) => unknown_word(
                    &node.span,
                    "disposition of a disagreement",
                    word,
                    &["escalate", "warn"],
                    problems,
                ),
                None => wrong_type(node, "`escalate` or `warn`", problems),
            },
        };
        fields.finish(problems);
        Some(Disagreement { above: above?, then: then? })
    }
}
