//! The most that one document may cost.

use super::calls::{Parts, most_candidates, total, within_calls};
use super::candidate::asked_again;
use super::fact::Facts;
use crate::plan::Plan;
use crate::profile::{Call, ProviderChoice};
use crate::provider::Prices;
use crate::stop::{Budget, Constant, Criterion, Kind, Waiting};
use crate::value::Usd;
use crate::value::prose::duration;
use serde_json::{Value, json};

/// The settings that limit how many candidates there are.
const LIMITS: [&str; 4] = ["stop.max_iterations", "stop.max_corrections", "stop.any", "stop.all"];

pub(super) fn add(plan: &Plan, prices: &Prices, facts: &mut Facts) {
    if plan.stages.is_empty() {
        facts.add("limits.calls", "no_calls", json!({}));
        return;
    }
    let most = most_candidates(plan);
    let within = within_calls(plan).filter(|within| *within < most);
    let values = json!({ "most": most, "within": within });
    facts.follows(&LIMITS, "limits.candidates", "candidates", values);
    facts.follows(
        &[&LIMITS[..], &["stop.budget", "stages", "judges"]].concat(),
        "limits.calls",
        "calls",
        calls(plan),
    );
    if !plan.validators.is_empty() {
        let each: u64 = plan.validators.iter().map(|one| u64::from(one.validator.retries) + 1).sum();
        let values = json!({ "most": each.saturating_mul(most) });
        facts.follows(&["validators"], "limits.validators", "validations", values);
    }
    let grouped = grouped(plan);
    let of = |limit: fn(&Criterion) -> Option<String>| -> Vec<Value> {
        let found =
            grouped.iter().filter_map(|(place, alone, criterion)| Some((place, alone, limit(criterion)?)));
        found.map(|(place, alone, limit)| json!({ "place": place, "alone": alone, "limit": limit })).collect()
    };
    let budgets = of(|one| if let Criterion::Budget(budget) = one { Some(budget.words("or")) } else { None });
    let own = plan.policy.stop.budget();
    if own != Budget::default() || budgets.is_empty() {
        facts.follows(&["stop.budget"], "limits.budget", "spending", json!({ "at": own.words("or") }));
    }
    if !budgets.is_empty() {
        facts.follows(&LIMITS[2..], "limits.budget.groups", "grouped_budget", json!({ "limits": budgets }));
    }
    let together = plan.profile.budget;
    if together != Budget::default() {
        facts.follows(&["budget"], "limits.run", "run_budget", json!({ "at": together.words("or") }));
    }
    let times =
        of(|one| if let Criterion::Timeout(limit) = one { Some(duration(limit.after)) } else { None });
    let limit = plan.policy.stop.timeout();
    if limit.is_some() || times.is_empty() {
        facts.follows(
            &["stop.timeout"],
            "limits.time",
            "time",
            json!({
                "limit": limit.map(|limit| limit.0),
                "waiting": limit.is_some() && plan.policy.stop.waiting() == Waiting::Counts,
            }),
        );
    }
    if !times.is_empty() {
        facts.follows(&LIMITS[2..], "limits.time.groups", "grouped_time", json!({ "limits": times }));
    }
    money(plan, prices, most, facts);
}

/// The number of calls that a document takes.
pub(super) fn calls(plan: &Plan) -> Value {
    let candidates = most_candidates(plan);
    let (parts, all) = (Parts::of(plan), total(plan, candidates));
    let chained = every_call(plan).any(|call| call.providers.len() > 1);
    json!({
        "once": all.once,
        "most": all.most,
        "first": parts.first().once,
        "later": (candidates > 1).then(|| parts.later().once),
        "judges": parts.judges_of_candidates().once,
        "values": parts.questions_about_values().map(|(candidate, document)| {
            json!({ "candidate": candidate, "document": document })
        }),
        "budget": within_calls(plan).is_some(),
        "chained": chained,
    })
}

pub(super) fn every_call(plan: &Plan) -> impl Iterator<Item = &Call> {
    let stages = plan.stages.iter().map(|planned| &planned.stage.call);
    stages.chain(plan.judges.iter().map(|planned| &planned.judge.call))
}

/// Criteria in groups: the place of each, and whether it ends the loop by itself.
fn grouped(plan: &Plan) -> Vec<(&'static str, bool, Criterion)> {
    fn collect(
        members: &[Criterion],
        place: &'static str,
        alone: bool,
        found: &mut Vec<(&'static str, bool, Criterion)>,
    ) {
        for member in members {
            match member.kind() {
                Kind::Any(members) => collect(members, place, alone, found),
                Kind::All(members) => collect(members, place, alone && members.len() == 1, found),
                Kind::Rule(_) => found.push((place, alone, member.clone())),
            }
        }
    }
    let stop = &plan.policy.stop;
    let mut found = Vec::new();
    collect(stop.any(), "stop.any", true, &mut found);
    collect(stop.all(), "stop.all", stop.all().len() == 1, &mut found);
    found
}

/// The least amount of money that ends the loop by itself.
pub(super) fn money_limit(plan: &Plan) -> Option<Usd> {
    let alone = grouped(plan).into_iter().filter(|(_, alone, _)| *alone);
    let alone =
        alone.flat_map(|(_, _, criterion)| criterion.constants()).filter_map(|constant| match constant {
            Constant::Cost(limit) => Some(limit),
            Constant::Gain(_)
            | Constant::Falls(_)
            | Constant::Elapsed(_)
            | Constant::Tokens(_)
            | Constant::Calls(_)
            | Constant::Count(_)
            | Constant::Unknown => None,
        });
    plan.policy.stop.budget().cost_usd.into_iter().chain(alone).min_by(|a, b| a.get().total_cmp(&b.get()))
}

/// The prices of the models that are asked, as far as known.
fn money(plan: &Plan, prices: &Prices, candidates: u64, facts: &mut Facts) {
    let mut seen: Vec<String> = Vec::new();
    let mut all_free = true;
    for (call, choice) in every_call(plan).flat_map(|call| call.providers.iter().map(move |one| (call, one)))
    {
        let (provider, model) = sold_as(choice, call);
        let who = model.as_deref().map_or_else(|| provider.clone(), |model| format!("{provider}:{model}"));
        let price = prices.find(&provider, model.as_deref());
        let free = price.is_some_and(crate::provider::Price::is_free);
        all_free &= free;
        if seen.contains(&who) {
            continue;
        }
        let values = json!({
            "who": who,
            "free": free,
            "model": model.is_some(),
            "rates": price.map(|price| json!({ "input": price.rates.input, "output": price.rates.output })),
            "long": price.and_then(|price| price.long_prompt).map(|long| json!({
                "above": long.above,
                "input": long.rates.input,
                "output": long.rates.output,
            })),
            "as_of": price.map(|price| price.as_of.as_str()),
        });
        facts.follows(&["stages", "judges"], format!("limits.price.{who}"), "price", values);
        seen.push(who);
    }
    if seen.is_empty() || all_free {
        return;
    }
    let values = json!({ "limit": money_limit(plan), "written": most_written(plan, prices, candidates) });
    facts.follows(&["stop.budget", "stop.any", "stop.all"], "limits.money", "money", values);
}

/// The seller, and the model that is paid for, as far as known before a provider is opened.
fn sold_as(choice: &ProviderChoice, call: &Call) -> (String, Option<String>) {
    let (plugin, model) = match choice.name.value.split_once(':') {
        Some((plugin, model)) => (plugin, Some(model.to_owned())),
        None => (choice.name.value.as_str(), None),
    };
    let endpoint = choice.config.get("endpoint").and_then(Value::as_str);
    (endpoint.unwrap_or(plugin).to_owned(), model.or_else(|| call.options.model.clone()))
}

/// The most that all answers can cost, when every call says how long its answer may be and every price is known.
pub(super) fn most_written(plan: &Plan, prices: &Prices, candidates: u64) -> Option<Usd> {
    let again = asked_again(plan);
    let stages = plan.stages.iter().enumerate().map(|(at, planned)| {
        let often = if again.contains(&at) { candidates } else { 1 };
        (&planned.stage.call, planned.stage.retries, often)
    });
    let of_values = plan.profile.value_judge();
    let parts = Parts::of(plan);
    let judges = plan.judges.iter().map(|planned| {
        let judge = &planned.judge;
        let questions = parts
            .questions_about_values()
            .filter(|_| of_values.is_some_and(|named| named.value == judge.id.value));
        let often = match questions {
            Some((candidate, document)) => {
                candidate.saturating_mul(candidates).min(document.unwrap_or(u64::MAX))
            }
            None => candidates,
        };
        (&judge.call, judge.on_failure.retry, often)
    });
    let mut sum = 0.0;
    for (call, retries, often) in stages.chain(judges) {
        let each = u64::from(retries).saturating_add(1).saturating_mul(often);
        for choice in &call.providers {
            let (provider, model) = sold_as(choice, call);
            let price = prices.find(&provider, model.as_deref())?;
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
