//! The race of policies, in words and rows for text and page.

use super::words::{decimals, named, number};
use crate::experiment::sweep::{Drop, DroppedPolicy, Findings, RaceFindings, Round};
use crate::report::figures::thousands;
use crate::report::model::{Column, figures, words};
use crate::value::prose::count;

/// Most policies that are listed as dropped; JSON has all.
const MOST_DROPPED: usize = 20;

/// A description of a race, a sentence each.
pub(super) fn sentences(race: &RaceFindings) -> Vec<String> {
    let drawn = if race.is_drawn {
        format!("{} raced, drawn from the space (seed {})", count(race.policies as u64, "policy"), race.seed)
    } else {
        format!("{} raced, all of the space", count(race.policies as u64, "policy"))
    };
    let mut said = vec![drawn, spent(race)];
    let run = race.rounds.last().map_or(0, |round| round.documents);
    if race.is_cut_short {
        said.push(format!(
            "the budget ended the race after {} of {}: fewer were dropped than planned",
            count(run as u64, "document"),
            race.planned_documents
        ));
    }
    if race.not_judged_on > 0 {
        said.push(format!(
            "{} to judge on {} not run: the budget was spent, or there is no reading {}",
            count(race.not_judged_on as u64, "document"),
            if race.not_judged_on == 1 { "was" } else { "were" },
            if race.not_judged_on == 1 { "it" } else { "them" }
        ));
    }
    if race.provider_errors > 0 {
        said.push(format!(
            "{} of a document ended because a provider failed, and {} as without a candidate",
            count(race.provider_errors as u64, "run"),
            if race.provider_errors == 1 { "counts" } else { "count" }
        ));
    }
    said
}

/// `spent: 120 calls of 500, 9,000 tokens, $0.1200 of $5`.
fn spent(race: &RaceFindings) -> String {
    let of = |limit: Option<String>| limit.map_or_else(String::new, |limit| format!(" of {limit}"));
    let (spent, budget) = (&race.spent, &race.budget);
    let unknown = match spent.calls_of_unknown_cost {
        0 => String::new(),
        calls => format!(" and the unknown cost of {}", count(calls, "call")),
    };
    format!(
        "spent: {}{}, {}{}, ${:.4}{}{unknown}",
        count(spent.calls, "call"),
        of(budget.calls.map(thousands)),
        count(spent.tokens, "token"),
        of(budget.tokens.map(thousands)),
        spent.known_cost_usd.get(),
        of(budget.cost_usd.map(|limit| format!("${limit}")))
    )
}

/// The columns of [`rounds`].
pub(super) const ROUND_COLUMNS: &str =
    "round | policies | documents so far | shown to be worse | worse half | left";

/// The course of each round.
pub(super) fn rounds(race: &RaceFindings) -> Vec<Vec<String>> {
    let row = |(at, round): (usize, &Round)| {
        let counts = [round.policies, round.documents, round.shown_worse, round.worse_half, round.left];
        std::iter::once(at).chain(counts).map(|number| thousands(number as u64)).collect()
    };
    (1..).zip(&race.rounds).map(row).collect()
}

/// The columns of [`dropped`], but for the last, the mean in the first objective.
pub(super) fn dropped_columns() -> Vec<Column<'static>> {
    [words("policy"), figures("round | documents"), words("why")].concat()
}

/// The dropped policies, and the number of those that are left out.
pub(super) fn dropped(race: &RaceFindings, findings: &Findings) -> (Vec<Vec<String>>, usize) {
    let listed = race.dropped.iter().take(MOST_DROPPED);
    let rows = listed.map(|one| dropped_row(one, findings)).collect();
    (rows, race.dropped.len().saturating_sub(MOST_DROPPED))
}

fn dropped_row(one: &DroppedPolicy, findings: &Findings) -> Vec<String> {
    let name = named(&one.profile, one.settings.iter());
    let dropped = &one.dropped;
    let mean = dropped.means.first().map_or_else(String::new, |mean| number(*mean, decimals(findings, 0)));
    let why = match dropped.why {
        Drop::ShownWorse => "shown to be worse",
        Drop::WorseHalf => "in the worse half",
    };
    vec![name, dropped.round.to_string(), thousands(dropped.documents as u64), why.to_owned(), mean]
}

/// An explanation of the rounds, for people who have not read the manual.
pub(super) const METHOD: &str = "All policies run on the same documents. “Shown to be worse” than the best one in the first objective: by the paired t-test, corrected for all policies and for each look (Bonferroni); dropped at once. “Worse half”: dropped at the end of a round, whatever is shown. The others get twice the documents.";
