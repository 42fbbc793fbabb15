//! Tier 2: the answers of judges and validators, and the assessment that follows (judge, external, ensemble).

use super::account::{DimensionBreakdown, Opinion, ScoreBreakdown, combined};
use super::assessment::Assessment;
use super::combine::combine;
use super::issue::Issue;
use super::member::{Answer, Member, MemberKind};
use super::scores::Scores;
use crate::profile::{AfterRetries, Combine, Disagreement, Measure, Overall, Profile, SecondTier, Weight};
use crate::value::{Disposition, Score, Severity};
use serde_json::Value;
use std::sync::Arc;

/// The judges and validators of a candidate after the gate, and the meaning of their answers.
#[derive(Debug, Clone, Default)]
pub struct Panel {
    members: Vec<Member>,
    dimensions: Vec<Combined>,
}

/// A dimension that the panel has a say in.
#[derive(Debug, Clone)]
struct Combined {
    name: Arc<str>,
    sources: Vec<MeasuringMember>,
    combine: Combine,
    /// The weight of the tier 1 measure.
    weight: Weight,
    /// The number of `sources` that must have answered.
    quorum: Option<usize>,
    disagreement: Option<Disagreement>,
    /// `true` if a measure of tier 1 is one of those that are combined.
    with_measure: bool,
}

/// A member that measures a dimension.
#[derive(Debug, Clone)]
struct MeasuringMember {
    /// Its index in the panel.
    member: usize,
    /// The location of its score; a validator has none.
    pointer: Option<String>,
    weight: Weight,
}

/// A judge that will not answer about any candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unavailable {
    /// The reason, for people.
    pub why: String,
    /// `true` if its `on_failure` leaves the document to a person.
    pub escalates: bool,
}

impl Panel {
    /// The panel of a profile: validators first, because they cost nothing, then the judges that are to be asked.
    #[must_use]
    pub fn of(profile: &Profile) -> Self {
        let validators = profile.validators.iter().map(|validator| Member {
            id: validator.id.value.as_str().into(),
            retries: validator.retries,
            then: AfterRetries::Escalate,
            on_failure_is_said: false,
            kind: MemberKind::Validator { stages: validator.stages.clone() },
        });
        let judges = profile.judges.iter().filter(|judge| judge.is_asked()).map(|judge| Member {
            id: judge.id.value.as_str().into(),
            retries: judge.call.attempts_after_first(judge.on_failure.retry),
            then: judge.on_failure.then.clone(),
            on_failure_is_said: judge.on_failure.said,
            kind: if profile.value_judge().is_some_and(|named| named.value == judge.id.value) {
                let at_once = usize::try_from(judge.values.at_once).unwrap_or(usize::MAX);
                MemberKind::ValueJudge { at_once, calls: judge.values.calls }
            } else {
                MemberKind::Judge {
                    scale: judge.scale,
                    issues: judge.issues.as_ref().map(|pointer| pointer.value.clone()),
                    severity: judge.severity,
                    sees: judge.call.attach.is_some() || judge.reference.is_some(),
                }
            },
        });
        let members: Vec<Member> = validators.chain(judges).collect();
        let dimensions = profile
            .dimensions
            .iter()
            .filter_map(|dimension| {
                let second = dimension.second.as_ref()?;
                let sources: Vec<MeasuringMember> = second
                    .sources
                    .iter()
                    .filter_map(|source| {
                        let member = members.iter().position(|member| *member.id == *source.name.value)?;
                        let pointer = source.score.as_ref().map(|pointer| pointer.value.clone());
                        Some(MeasuringMember { member, pointer, weight: source.weight })
                    })
                    .collect();
                let name = dimension.name.as_str().into();
                let combine = second.combine;
                let with_measure = combine != Combine::First && !matches!(dimension.measure, Measure::Given);
                let SecondTier { weight, quorum, disagreement, .. } = *second;
                (!sources.is_empty()).then_some(Combined {
                    name,
                    sources,
                    combine,
                    weight,
                    quorum,
                    disagreement,
                    with_measure,
                })
            })
            .collect();
        Panel { members, dimensions }
    }

    /// The members to ask, in order.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The panel of the members whose names `keep` takes, as if the profile had no others: the dimensions that the
    /// others would measure keep their other measures.
    #[must_use]
    pub fn only(&self, keep: impl Fn(&str) -> bool) -> Panel {
        let kept: Vec<usize> = self
            .members
            .iter()
            .enumerate()
            .filter(|(_, member)| keep(&member.id))
            .map(|(at, _)| at)
            .collect();
        let members = kept.iter().filter_map(|at| self.members.get(*at)).cloned().collect();
        let dimensions = self.dimensions.iter().filter_map(|dimension| {
            let moved = |source: &MeasuringMember| {
                let member = kept.iter().position(|at| *at == source.member)?;
                Some(MeasuringMember { member, ..source.clone() })
            };
            let sources: Vec<MeasuringMember> = dimension.sources.iter().filter_map(moved).collect();
            (!sources.is_empty()).then(|| Combined { sources, ..dimension.clone() })
        });
        Panel { members, dimensions: dimensions.collect() }
    }

    /// This panel, in which the judges that `sees` names count as shown all of a document that was not read.
    #[must_use]
    pub fn seeing(&self, sees: impl Fn(&str) -> bool) -> Panel {
        let seeing = |member: &Member| member.clone().seeing(sees(&member.id));
        Panel { members: self.members.iter().map(seeing).collect(), dimensions: self.dimensions.clone() }
    }

    /// The index of the judge of single values, if there is one.
    pub fn value_judge(&self) -> Option<usize> {
        self.members.iter().position(Member::is_value_judge)
    }

    /// The dimensions that the member at `at` measures, or has a part in.
    pub fn measured_by(&self, at: usize) -> impl Iterator<Item = &str> {
        let of_it = move |dimension: &&Combined| dimension.sources.iter().any(|source| source.member == at);
        self.dimensions.iter().filter(of_it).map(|dimension| dimension.name.as_ref())
    }

    /// Checks that the answer of the member at `at` can be read: every score that a dimension takes from a judge is a
    /// number, its issues are a list, and a validator names its stages or why it is not available.
    ///
    /// # Errors
    /// Describes what is missing, without any of the answer's text.
    pub fn read(&self, at: usize, answer: &Value) -> Result<(), String> {
        let Some(member) = self.members.get(at) else { return Ok(()) };
        let sources = self.dimensions.iter().flat_map(|dimension| &dimension.sources);
        let own = sources.filter(|source| source.member == at);
        member.read(answer, own.filter_map(|source| source.pointer.as_deref()))
    }

    /// The answers of the members, as `Panel::merge` takes them; `said` gives each, and `None` for a member that was
    /// not asked. An answer that can't be read counts as none.
    #[must_use]
    pub fn answers<'s>(
        &self,
        said: impl Fn(usize, &Member) -> Option<Result<&'s Arc<Value>, &'s str>>,
    ) -> Vec<Answer> {
        let answer = |(at, member): (usize, &Member)| match said(at, member) {
            Some(Ok(answer)) => match self.read(at, answer) {
                Ok(()) => Answer::Given(Arc::clone(answer)),
                Err(why) => Answer::Failed(why),
            },
            Some(Err(why)) => Answer::Failed(why.to_owned()),
            None if member.is_value_judge() => Answer::NotNeeded,
            None => Answer::Failed("it was not asked".to_owned()),
        };
        self.members.iter().enumerate().map(answer).collect()
    }

    /// The assessment that follows from tier 1 and the answers, one for each member that was asked.
    ///
    /// `disposition` gives the handling of an issue that has none, by its code and whether a machine could fix it.
    #[must_use]
    pub fn merge(
        &self,
        overall: &Overall,
        disposition: &dyn Fn(&str, bool) -> Disposition,
        tier1: &Assessment,
        answers: &[Answer],
    ) -> Assessment {
        let mut merged = tier1.clone();
        if self.members.iter().zip(answers).any(|(member, answer)| member.has_seen(answer)) {
            merged.was_seen();
        }
        for (at, (member, answer)) in self.members.iter().zip(answers).enumerate() {
            let needed = !self.does_without(at, answers);
            merged.issues.extend(member.issues(answer, needed, disposition));
        }
        let resolve_fallbacks = self.resolve_fallbacks(tier1, answers);
        for dimension in &self.dimensions {
            if let (true, Some(quorum)) = (!dimension.has_quorum(answers), dimension.quorum) {
                merged.issues.push(no_quorum(&dimension.name, quorum, dimension.answered(answers)));
            }
            let fallbacks = dimension.fallbacks(tier1, &resolve_fallbacks);
            if self.is_incomplete(dimension, tier1, answers, &fallbacks) {
                merged.scores.take(&dimension.name);
                continue;
            }
            let local = tier1.scores.get(&dimension.name);
            if let Some(bound) = dimension.disagreement {
                // A number that replaces an answer is not an opinion.
                let own = dimension.sources.iter().filter_map(|source| {
                    let answer = answers.get(source.member).filter(|answer| answer.is_answer())?;
                    let member = self.members.get(source.member)?;
                    Some((member.score(answer, source.pointer.as_deref(), &fallbacks)?, source.weight))
                });
                let opinions: Vec<(Score, Weight)> =
                    own.chain(local.map(|score| (score, dimension.weight))).collect();
                merged.issues.extend(bound.issue(&dimension.name, &opinions));
            }
            if let Some(score) = self.combined(dimension, tier1, answers, &fallbacks) {
                merged.scores.set(&dimension.name, score);
            }
        }
        merged.weigh(overall);
        merged
    }

    /// The final scores of the dimensions, which count where one replaces a judge: a measure from before the judges
    /// were asked may rate it higher than they do. Dimensions that replace each other in a circle have no more than
    /// tier 1 gave them.
    fn resolve_fallbacks(&self, tier1: &Assessment, answers: &[Answer]) -> Scores {
        let mut resolve_fallbacks = tier1.scores.clone();
        if !answers.iter().any(|answer| matches!(answer, Answer::Failed(_))) {
            return resolve_fallbacks;
        }
        // Each round settles the replacements of one more.
        for _ in &self.dimensions {
            let mut next = tier1.scores.clone();
            for dimension in &self.dimensions {
                let fallbacks = dimension.fallbacks(tier1, &resolve_fallbacks);
                let incomplete = self.is_incomplete(dimension, tier1, answers, &fallbacks);
                match self.combined(dimension, tier1, answers, &fallbacks).filter(|_| !incomplete) {
                    Some(score) => next.set(&dimension.name, score),
                    None => drop(next.take(&dimension.name)),
                }
            }
            resolve_fallbacks = next;
        }
        resolve_fallbacks
    }

    /// Returns whether a member that the dimension can't do without is unavailable: neither the fallback nor the rest
    /// of an ensemble may pass for it.
    fn is_incomplete(
        &self,
        dimension: &Combined,
        tier1: &Assessment,
        answers: &[Answer],
        fallbacks: &Scores,
    ) -> bool {
        let asked =
            |source: &MeasuringMember| Some((self.members.get(source.member)?, answers.get(source.member)?));
        // The fallback may replace a validator that is not available; an ensemble without a member is
        // another one.
        let alone = dimension.combine == Combine::First;
        let missing = |(member, answer): (&Member, &Answer)| {
            member.has_failed(answer, fallbacks) || (!alone && answer.is_unavailable())
        };
        let incomplete = match dimension.quorum {
            None => dimension.sources.iter().filter_map(asked).any(missing),
            Some(_) => !dimension.has_quorum(answers),
        };
        incomplete || (dimension.with_measure && tier1.scores.get(&dimension.name).is_none())
    }

    /// The score of a dimension from all members that answered.
    fn combined(
        &self,
        dimension: &Combined,
        tier1: &Assessment,
        answers: &[Answer],
        fallbacks: &Scores,
    ) -> Option<Score> {
        let answered = self.answered(dimension, tier1, answers, fallbacks);
        combine(dimension.combine, answered.map(|(_, score, weight)| (score, weight)).collect())
    }

    /// The first judge, of the members that have failed for good (`permanent`), whose answer a dimension can't do
    /// without and which has no substitute. A validator that failed may take another candidate.
    #[must_use]
    pub fn unavailable(
        &self,
        tier1: &Assessment,
        answers: &[Answer],
        permanent: &[usize],
    ) -> Option<Unavailable> {
        let resolve_fallbacks = self.resolve_fallbacks(tier1, answers);
        self.members.iter().zip(answers).enumerate().find_map(|(at, (member, answer))| match answer {
            Answer::Failed(why)
                if permanent.contains(&at)
                    && !member.is_validator()
                    && member.has_failed(answer, &resolve_fallbacks)
                    && !self.does_without(at, answers) =>
            {
                let why = format!("judge `{}` gave no answer: {why}", member.id);
                Some(Unavailable { why, escalates: member.on_failure_is_said })
            }
            Answer::Failed(_) | Answer::Given(_) | Answer::NotNeeded => None,
        })
    }

    /// The scores of the dimension with their weights: members by their index, the measure of tier 1 as `None`.
    fn answered<'p>(
        &'p self,
        dimension: &'p Combined,
        tier1: &'p Assessment,
        answers: &'p [Answer],
        fallbacks: &'p Scores,
    ) -> impl Iterator<Item = (Option<usize>, Score, Weight)> + 'p {
        let answered = dimension.sources.iter().filter_map(|source| {
            let member = self.members.get(source.member)?;
            // If some may be missing, a number that replaces one of them is left out with it.
            let answer = answers
                .get(source.member)
                .filter(|answer| dimension.quorum.is_none() || answer.is_answer())?;
            let score = member.score(answer, source.pointer.as_deref(), fallbacks)?;
            Some((Some(source.member), score, source.weight))
        });
        let local = tier1.scores.get(&dimension.name).map(|score| (None, score, dimension.weight));
        answered.chain(local)
    }

    /// The account of `Panel::merge`: that of tier 1, with the dimensions that the panel has a say in. `merged` is its
    /// result.
    #[must_use]
    pub fn account(
        &self,
        tier1: &Assessment,
        account: &ScoreBreakdown,
        answers: &[Answer],
        merged: &Assessment,
    ) -> ScoreBreakdown {
        let mut whole = account.clone();
        let resolve_fallbacks = self.resolve_fallbacks(tier1, answers);
        for dimension in &self.dimensions {
            let Some(score) = merged.scores.get(&dimension.name) else {
                let why = "who measures it could not be heard, which counts 0";
                whole.set(DimensionBreakdown::unmeasured(&dimension.name, why));
                continue;
            };
            let opinion = |(member, score, weight): (Option<usize>, Score, Weight)| {
                let Some(at) = member else {
                    return account.of(&dimension.name).cloned()?.into_opinion(weight.get());
                };
                let member = self.members.get(at)?;
                let who = if member.is_validator() { "validator" } else { "judge" };
                let stands_in = !answers.get(at).is_some_and(Answer::is_answer);
                let name = format!("{who} `{}`{}", member.id, if stands_in { " (stand-in)" } else { "" });
                Some(Opinion::of(name, score, weight.get()))
            };
            let fallbacks = dimension.fallbacks(tier1, &resolve_fallbacks);
            let opinions = self.answered(dimension, tier1, answers, &fallbacks).filter_map(opinion).collect();
            whole.set(combined(&dimension.name, dimension.combine, score, opinions));
        }
        whole
    }

    /// Returns whether every dimension that the member at `at` measures has its quorum without it.
    fn does_without(&self, at: usize, answers: &[Answer]) -> bool {
        let of_it = |dimension: &&Combined| dimension.sources.iter().any(|source| source.member == at);
        let mut own = self.dimensions.iter().filter(of_it).peekable();
        own.peek().is_some()
            && own.all(|dimension| dimension.quorum.is_some() && dimension.has_quorum(answers))
    }
}

impl Combined {
    /// The scores of dimensions as substitutes for a judge of this one: the final ones for others, and for itself the
    /// score of its other measures.
    fn fallbacks(&self, tier1: &Assessment, resolve_fallbacks: &Scores) -> Scores {
        let mut scores = resolve_fallbacks.clone();
        match tier1.scores.get(&self.name) {
            Some(score) => scores.set(&self.name, score),
            None => drop(scores.take(&self.name)),
        }
        scores
    }

    /// The number of the dimension's sources that have answered.
    fn answered(&self, answers: &[Answer]) -> usize {
        self.sources.iter().filter_map(|source| answers.get(source.member)).filter(|a| a.is_answer()).count()
    }

    fn has_quorum(&self, answers: &[Answer]) -> bool {
        self.quorum.is_none_or(|quorum| self.answered(answers) >= quorum)
    }
}

fn no_quorum(dimension: &str, quorum: usize, answered: usize) -> Issue {
    Issue {
        disposition: Disposition::Escalate,
        message: format!("{answered} of those who measure `{dimension}` answered, {quorum} must").into(),
        ..Issue::new("NO_QUORUM", Severity::Critical)
    }
}

#[cfg(test)]
mod tests;
