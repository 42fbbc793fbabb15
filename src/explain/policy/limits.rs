//! What one document may cost at most.

use super::bounds::{Parts, most_candidates, total, within_calls};
use super::candidate::asked_again;
use super::model::Section;
use super::words::{capital, count, dollars, duration, list, name, times, whole};
use crate::plan::Plan;
use crate::profile::{Budget, Call, Criterion, ProviderChoice, Waiting};
use crate::provider::Prices;
use crate::value::Usd;

pub(super) fn section(plan: &Plan, prices: &Prices) -> Section {
    let mut section = Section::new("limits", "What it may cost at most");
    if plan.stages.is_empty() {
        section
            .say("limits.calls", "No stage makes candidates, so nothing is asked of a model but by judges.");
        return section;
    }
    let candidates = most_candidates(plan);
    let fewer = within_calls(plan).filter(|within| *within < candidates).map(|within| {
        format!(
            " The budget of calls is spent after {}, if every call counts (one that the cache answers, or that is never sent, does not).",
            count(within, "candidate")
        )
    });
    let text = format!(
        "For one document at most {} {} made: candidate 0 and {}.{}",
        count(candidates, "candidate"),
        if candidates == 1 { "is" } else { "are" },
        match candidates.saturating_sub(1) {
            0 => "no correction".to_owned(),
            1 => "1 correction".to_owned(),
            more => format!("{} corrections", whole(more)),
        },
        fewer.unwrap_or_default()
    );
    section.say("limits.candidates", text);
    calls(plan, candidates, &mut section);
    budget(plan, &mut section);
    time(plan, &mut section);
    money(plan, prices, candidates, &mut section);
    section
}

fn calls(plan: &Plan, candidates: u64, section: &mut Section) {
    let parts = Parts::of(plan);
    let all = total(plan, candidates);
    let mut terms = vec![format!("{} for candidate 0", whole(parts.first().once))];
    if candidates > 1 {
        terms.push(format!("{} for each correction", whole(parts.later().once)));
    }
    if parts.judges().once > 0 {
        terms.push(format!("{} of judges for each candidate", whole(parts.judges().once)));
    }
    let limited = within_calls(plan).is_some();
    let kept = if limited { ", the budget of calls included" } else { "" };
    let mut calls = plan.stages.iter().map(|planned| &planned.stage.call);
    let chained = calls.any(|call| call.providers.len() > 1)
        || plan.judges.iter().any(|planned| planned.judge.call.providers.len() > 1);
    let stand_ins = if chained { " and every provider that may stand in is asked" } else { "" };
    let again = if all.most > all.once {
        format!(
            " If every call that may be made again is{stand_ins}, there are at most {}.",
            count(all.most, "call")
        )
    } else {
        String::new()
    };
    let text = format!(
        "That takes at most {} of models or other providers when none fails{kept} ({}).{again}",
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

/// Criteria in groups: where each stands, and whether it ends the loop by itself.
fn grouped(plan: &Plan) -> Vec<(String, bool, Criterion)> {
    fn collect(members: &[Criterion], place: &str, alone: bool, found: &mut Vec<(String, bool, Criterion)>) {
        for member in members {
            match member {
                Criterion::Any(members) => collect(members, place, alone, found),
                Criterion::All(members) => collect(members, place, alone && members.len() == 1, found),
                criterion => found.push((place.to_owned(), alone, criterion.clone())),
            }
        }
    }
    let stop = &plan.policy.stop;
    let mut found = Vec::new();
    collect(stop.any(), "`stop.any`", true, &mut found);
    collect(stop.all(), "`stop.all`", stop.all().len() == 1, &mut found);
    found
}

/// The limits of a kind that stand in groups; none is looked at before a call is made again.
fn in_groups(plan: &Plan, what: &str, words: impl Fn(&Criterion) -> Option<String>) -> Option<String> {
    let said: Vec<String> = grouped(plan)
        .iter()
        .filter_map(|(place, alone, criterion)| {
            let together = if *alone { "" } else { ", and only together with what is beside it" };
            words(criterion).map(|limit| format!("{what} in {place} ({limit}{together})"))
        })
        .collect();
    (!said.is_empty()).then(|| {
        format!(
            "{} {} looked at only when a candidate has been assessed, not before a failed call is made again: an iteration that has begun is finished, with every call \
             of it that may be made again.",
            capital(&list(&said, "and")),
            if said.len() == 1 { "is" } else { "are" }
        )
    })
}

fn budget(plan: &Plan, section: &mut Section) {
    let said = plan.policy.stop.budget().words("or");
    let groups = in_groups(plan, "the budget", |criterion| match criterion {
        Criterion::Budget(budget) => Some(format!("spent at {}", budget.words("or"))),
        _ => None,
    });
    if !said.is_empty() {
        let text = format!(
            "The budget of a document is spent at {said}. It is looked at when a candidate has been assessed and before a failed call is made again. An iteration that \
             has begun is finished all the same: each of its calls is made, and made again while the budget lasts, so a document can go over its budget by one iteration. \
             Calls whose cost is unknown do not count towards money."
        );
        section.say("limits.budget", text);
    } else if groups.is_none() {
        section.say(
            "limits.budget",
            "There is no budget: nothing but the number of candidates limits money, tokens and calls.",
        );
    }
    if let Some(text) = groups {
        section.say("limits.budget.groups", text);
    }
}

fn time(plan: &Plan, section: &mut Section) {
    let groups = in_groups(plan, "the limit of time", |criterion| match criterion {
        Criterion::Timeout(limit) => Some(duration(limit.after)),
        _ => None,
    });
    if let Some(limit) = plan.policy.stop.timeout() {
        let text = format!(
            "The loop of a document does not go on after {}. That is looked at when a candidate has been assessed and before a failed call is made again; a call that is \
             under way is waited for, as long as one call may take.",
            duration(limit)
        );
        section.say("limits.time", text);
        if plan.policy.stop.waiting() == Waiting::Counts {
            let text = "Time in which calls wait for their turn, because of limits, counts, too.";
            section.say("limits.time.waiting", text);
        }
    } else if groups.is_none() {
        let text = "There is no limit of time for a document, but what its calls may take, with the pauses before those that are made again.";
        section.say("limits.time", text);
    }
    if let Some(text) = groups {
        section.say("limits.time.groups", text);
    }
}

/// The least amount of money that ends the loop by itself.
fn money_limit(plan: &Plan) -> Option<Usd> {
    let alone = grouped(plan).into_iter().filter_map(|(_, alone, criterion)| match criterion {
        Criterion::Budget(Budget { cost_usd, .. }) if alone => cost_usd,
        _ => None,
    });
    plan.policy.stop.budget().cost_usd.into_iter().chain(alone).min_by(|a, b| a.get().total_cmp(&b.get()))
}

/// What the models cost that are asked, as far as it is known.
fn money(plan: &Plan, prices: &Prices, candidates: u64, section: &mut Section) {
    let mut calls: Vec<&Call> = plan.stages.iter().map(|planned| &planned.stage.call).collect();
    calls.extend(plan.judges.iter().map(|planned| &planned.judge.call));
    let mut seen: Vec<(String, bool)> = Vec::new();
    let mut all_free = true;
    for call in &calls {
        for choice in &call.providers {
            let (provider_label, model) = sold_as(choice, call);
            let who = model
                .as_deref()
                .map_or_else(|| provider_label.clone(), |model| format!("{provider_label}:{model}"));
            let price = prices.find(&provider_label, model.as_deref());
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
    let text = match (written, money_limit(plan)) {
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
            let (provider_label, model) = sold_as(choice, call);
            let price = prices.find(&provider_label, model.as_deref())?;
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
