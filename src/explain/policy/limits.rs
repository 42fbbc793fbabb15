//! What one document may cost at most.

use super::candidate::asked_again;
use super::criteria::budget_words;
use super::model::Section;
use super::words::{count, dollars, duration, name, times, whole};
use crate::profile::{Call, Criterion, Member, ProviderChoice};
use crate::provider::Prices;
use crate::run::Plan;
use crate::value::Usd;

/// Calls that a document takes, each made once, and with every repetition that is allowed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Calls {
    once: u64,
    most: u64,
}

impl std::ops::Add for Calls {
    type Output = Calls;

    fn add(self, other: Calls) -> Calls {
        Calls { once: self.once.saturating_add(other.once), most: self.most.saturating_add(other.most) }
    }
}

impl Calls {
    fn of(call: &Call, retries: u32) -> Self {
        Calls { once: 1, most: u64::from(call.attempts_after_first(retries)).saturating_add(1) }
    }

    fn times(self, number: u64) -> Self {
        Calls { once: self.once.saturating_mul(number), most: self.most.saturating_mul(number) }
    }
}

pub(super) fn section(plan: &Plan, prices: &Prices) -> Section {
    let mut section = Section::new("limits", "What it may cost at most");
    if plan.stages.is_empty() {
        section
            .say("limits.calls", "No stage makes candidates, so nothing is asked of a model but by judges.");
        return section;
    }
    let candidates = most_candidates(plan);
    let text = format!(
        "For one document at most {} {} made: candidate 0 and {}.",
        count(candidates, "candidate"),
        if candidates == 1 { "is" } else { "are" },
        match candidates.saturating_sub(1) {
            0 => "no correction".to_owned(),
            1 => "1 correction".to_owned(),
            more => format!("{} corrections", whole(more)),
        }
    );
    section.say("limits.candidates", text);
    calls(plan, candidates, &mut section);
    budget(plan, &mut section);
    time(plan, &mut section);
    money(plan, prices, candidates, &mut section);
    section
}

/// How many candidates the plain limits and those that stand alone in `any` allow.
fn most_candidates(plan: &Plan) -> u64 {
    let stop = &plan.policy.stop;
    let plain = stop.before_rollback().collect::<Vec<_>>();
    let grouped = stop.any.iter().filter_map(|member| match member {
        Member::One(criterion) => Some(criterion),
        Member::Any(_) | Member::All(_) => None,
    });
    let bounds = plain.iter().chain(grouped).filter_map(|criterion| match criterion {
        Criterion::MaxIterations(most) => Some(*most),
        Criterion::MaxCorrections(most) => Some(most.saturating_add(1)),
        _ => None,
    });
    bounds.min().unwrap_or(1)
}

/// Calls for candidate 0, for each correction, and of the judges for each candidate.
fn parts(plan: &Plan) -> (Calls, Calls, Calls) {
    let stage = |at: usize| {
        plan.stages
            .get(at)
            .map(|planned| Calls::of(&planned.stage.call, planned.stage.retries))
            .unwrap_or_default()
    };
    let first = (0..plan.stages.len()).map(stage).fold(Calls::default(), std::ops::Add::add);
    let later = asked_again(plan).into_iter().map(stage).fold(Calls::default(), std::ops::Add::add);
    let judges = plan
        .judges
        .iter()
        .map(|planned| Calls::of(&planned.judge.call, planned.judge.on_failure.retry))
        .fold(Calls::default(), std::ops::Add::add);
    (first, later, judges)
}

/// All calls of a document with so many candidates.
fn total(plan: &Plan, candidates: u64) -> Calls {
    let (first, later, judges) = parts(plan);
    let all = first + later.times(candidates.saturating_sub(1)) + judges.times(candidates);
    let Some(limit) = plan.policy.stop.budget.calls else { return all };
    // It is looked at after a candidate has been assessed, and before a call is made again: one that is begun is finished.
    let begun =
        (first + judges).once.max(limit.saturating_sub(1).saturating_add((later + judges).once)).max(limit);
    Calls { once: all.once.min(begun), most: all.most.min(begun) }
}

fn calls(plan: &Plan, candidates: u64, section: &mut Section) {
    let (first, later, judges) = parts(plan);
    let all = total(plan, candidates);
    let mut terms = vec![format!("{} for candidate 0", whole(first.once))];
    if candidates > 1 {
        terms.push(format!("{} for each correction", whole(later.once)));
    }
    if judges.once > 0 {
        terms.push(format!("{} of judges for each candidate", whole(judges.once)));
    }
    let limited = plan.policy.stop.budget.calls.is_some();
    let kept = if limited { ", the budget of calls included" } else { "" };
    let again = if all.most > all.once {
        format!(" If every call that may be made again is, there are at most {}.", count(all.most, "call"))
    } else {
        String::new()
    };
    let text = format!(
        "That takes at most {} of models or other providers when none has to be made again{kept} ({}).{again}",
        count(all.once, "call"),
        terms.join(", ")
    );
    section.say("limits.calls", text);
    if !plan.validators.is_empty() {
        let most: u64 = plan.validators.iter().map(|one| u64::from(one.validator.retries) + 1).sum();
        let text = format!(
            "Validators are not counted among these: they are asked at most {} in all.",
            times(most.saturating_mul(candidates))
        );
        section.say("limits.validators", text);
    }
}

fn budget(plan: &Plan, section: &mut Section) {
    let said = budget_words(&plan.policy.stop.budget, "or");
    if said.is_empty() {
        section.say(
            "limits.budget",
            "There is no budget: nothing but the number of candidates limits money, tokens and calls.",
        );
        return;
    }
    let text = format!(
        "The budget of a document is spent at {said}. It is looked at when a candidate has been assessed and before a failed call is made again, so an iteration that \
         has begun is finished, and a document can go over its budget by one iteration. Calls whose cost is unknown do not count towards money."
    );
    section.say("limits.budget", text);
}

fn time(plan: &Plan, section: &mut Section) {
    let text = match plan.policy.stop.timeout {
        Some(limit) => format!(
            "The loop of a document does not go on after {}. That is looked at when a candidate has been assessed and before a failed call is made again; a call that is \
             under way is waited for, as long as one call may take.",
            duration(limit)
        ),
        None => {
            "There is no limit of time for a document, but what its calls may take, with the pauses before those that are made again.".to_owned()
        }
    };
    section.say("limits.time", text);
}

/// What the models cost that are asked, as far as it is known.
fn money(plan: &Plan, prices: &Prices, candidates: u64, section: &mut Section) {
    let mut calls: Vec<&Call> = plan.stages.iter().map(|planned| &planned.stage.call).collect();
    calls.extend(plan.judges.iter().map(|planned| &planned.judge.call));
    let mut seen: Vec<(String, bool)> = Vec::new();
    let mut all_free = true;
    for call in &calls {
        for choice in &call.providers {
            let (seller, model) = sold_as(choice, call);
            let who = model.as_deref().map_or_else(|| seller.clone(), |model| format!("{seller}:{model}"));
            let price = prices.find(&seller, model.as_deref());
            let free = price.is_some_and(crate::provider::Price::is_free);
            all_free &= free;
            if seen.iter().any(|(known, _)| *known == who) {
                continue;
            }
            let text = match price {
                Some(_) if free => format!("{} costs nothing.", name(&who)),
                Some(price) => {
                    let dollars = |rate: f64| Usd::new(rate).map(dollars).unwrap_or_default();
                    let long = price.long_prompt.map(|long| {
                        format!(
                            " ({} and {} when more than {} are read)",
                            dollars(long.rates.input),
                            dollars(long.rates.output),
                            count(long.above, "token")
                        )
                    });
                    format!(
                        "{} costs {} for a million tokens that it reads and {} for a million that it writes{}, as of {}.",
                        name(&who),
                        dollars(price.rates.input),
                        dollars(price.rates.output),
                        long.unwrap_or_default(),
                        price.as_of
                    )
                }
                None => format!(
                    "What {} costs is unknown: no price table has it (`prices.yaml`; {}).",
                    name(&who),
                    if model.is_none() {
                        "the model is not named here"
                    } else {
                        "`--prices FILE` when it is run"
                    }
                ),
            };
            section.say(format!("limits.price.{who}"), text);
            seen.push((who, free));
        }
    }
    if calls.is_empty() || all_free {
        return;
    }
    let written = most_written(plan, prices, candidates);
    let text = match (written, plan.policy.stop.budget.cost_usd) {
        (Some(most), None) => format!(
            "How much is read depends on the document. What is written costs at most {} for a document, if every call is made and every answer is as long as it may be.",
            dollars(most)
        ),
        (_, Some(limit)) => format!(
            "How much a document costs depends on its length; no iteration is begun once {} are spent, as far as costs are known.",
            dollars(limit)
        ),
        (None, None) => "How much a document costs depends on its length and on the answers; nothing here limits it in money.".to_owned(),
    };
    section.say("limits.money", text);
}

/// Who is paid, and for which model, as far as that can be told before a provider is opened.
fn sold_as(choice: &ProviderChoice, call: &Call) -> (String, Option<String>) {
    let (plugin, model) = match choice.name.value.split_once(':') {
        Some((plugin, model)) => (plugin, Some(model.to_owned())),
        None => (choice.name.value.as_str(), None),
    };
    let endpoint = choice.config.get("endpoint").and_then(serde_json::Value::as_str);
    (endpoint.unwrap_or(plugin).to_owned(), model.or_else(|| call.options.model.clone()))
}

/// The most that all answers can cost, when every call says how long its answer may be and every price is known.
fn most_written(plan: &Plan, prices: &Prices, candidates: u64) -> Option<Usd> {
    let again = asked_again(plan);
    let stages = plan.stages.iter().enumerate().map(|(at, planned)| {
        let often = if again.contains(&at) { candidates } else { 1 };
        (&planned.stage.call, planned.stage.retries, often)
    });
    let judges =
        plan.judges.iter().map(|planned| (&planned.judge.call, planned.judge.on_failure.retry, candidates));
    let mut sum = 0.0;
    for (call, retries, often) in stages.chain(judges) {
        let each = u64::from(retries).saturating_add(1).saturating_mul(often);
        for choice in &call.providers {
            let (seller, model) = sold_as(choice, call);
            let price = prices.find(&seller, model.as_deref())?;
            if price.is_free() {
                continue;
            }
            let rate = price
                .long_prompt
                .map_or(price.rates.output, |long| long.rates.output.max(price.rates.output));
            #[expect(clippy::cast_precision_loss, reason = "counts of calls and tokens are far below 2^53")]
            let tokens = each.saturating_mul(call.options.max_tokens?) as f64;
            sum += tokens / 1_000_000.0 * rate;
        }
    }
    Usd::new((sum * 1e6).round() / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Problems;
    use crate::profile::{Library, Override, load};

    fn plan(flags: &[&str]) -> Plan {
        let mut problems = Problems::new();
        let overrides: Vec<Override> =
            flags.iter().filter_map(|flag| Override::from_flag(flag, &mut problems)).collect();
        let loaded = load("clinical", &Library::embedded(), &overrides, &|_| None, &mut problems).unwrap();
        Plan::compile(&loaded, &mut problems).unwrap_or_else(|| panic!("{problems:?}"))
    }

    #[test]
    fn calls_are_stages_by_candidates_by_attempts_and_judges() {
        let all = |flags: &[&str]| {
            let plan = plan(flags);
            let calls = total(&plan, most_candidates(&plan));
            (calls.once, calls.most)
        };
        assert_eq!(all(&[]), (5, 15));
        assert_eq!(all(&["stages.0.retries=0"]), (5, 5));
        assert_eq!(all(&["stages.0.provider=[pattern, scripted]"]), (5, 30));
        assert_eq!(all(&["stop.max_corrections=1"]), (2, 6));
        assert_eq!(all(&["stop.any=[{ max_iterations: 3 }]"]), (3, 9));
        let judge = "judges={ j: { provider: x, prompt: judge/accuracy.md, on_failure: { retry: 1 } } }";
        assert_eq!(all(&[judge, "judges.j.prompt=judge/literature.md"]), (10, 25));
        // After three calls the fourth candidate is not begun; with a budget of three the third is.
        assert_eq!(all(&["stop.budget={ calls: 3 }"]), (3, 3));
        assert_eq!(all(&["stop.budget={ calls: 3 }", judge, "judges.j.prompt=judge/literature.md"]), (4, 4));
    }
}
