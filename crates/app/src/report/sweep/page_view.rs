//! The contents of the page of an experiment: words, numbers, plots and tables, which the template lays out.

use super::plots::{FrontPlot, differences};
use super::race;
use super::words::{
    ObjectiveRow, broken_constraints, counts, goal, objective_rows, passed, policy, policy_among, standing,
    standing_word, standings,
};
use crate::experiment::sweep::{Findings, RaceFindings, ShownPolicy};
use crate::report::columns::{figures, words};
use crate::report::figures::{confidence, percent_of, thousands};
use crate::report::model::Tone;
use crate::report::page::{self, DotRows, Fact, Table, Tile, tile};
use serde::Serialize;

#[derive(Debug, Serialize)]
pub(in crate::report) struct Page<'a> {
    title: &'a str,
    facts: Vec<Fact>,
    tiles: Vec<Tile>,
    /// The outcome of the chosen policy, a sentence each.
    chosen: Vec<String>,
    counts: Vec<String>,
    race: Option<RaceSection>,
    fronts: Vec<FrontPlot>,
    policies: Table,
    objectives: Vec<Objective>,
    method: String,
}

/// The race of policies.
#[derive(Debug, Serialize)]
struct RaceSection {
    said: Vec<String>,
    method: &'static str,
    tables: Vec<Table>,
}

/// An objective with its plot and its table.
#[derive(Debug, Serialize)]
struct Objective {
    heading: String,
    plot: Option<DotRows>,
    /// The position of no difference.
    zero: Option<f64>,
    table: Table,
}

impl<'a> Page<'a> {
    pub(in crate::report) fn of(findings: &'a Findings, title: &'a str) -> Self {
        let method = &findings.statistics;
        let (documents, policies) = (&findings.documents, &findings.policies);
        let facts = page::facts([
            ("reference", findings.reference.profile.clone()),
            ("samples", format!("{}, seed {}", thousands(method.samples as u64), method.seed)),
            ("split", format!("seed {}", method.split_seed)),
            ("constraints", findings.constraints.join("; ")),
        ]);
        let counted =
            |name, count: usize, note: String| tile(name, thousands(count as u64), note, Tone::Plain);
        let judged = format!("{} to choose on", thousands(documents.train as u64));
        let front = if findings.race.is_some() {
            "after the last round".to_owned()
        } else {
            format!("{} on the Pareto front", thousands(policies.front as u64))
        };
        let mut tiles = vec![
            counted("judged on", documents.test, judged),
            counted("policies", policies.policies, format!("{} tried", thousands(policies.tried as u64))),
            counted("to choose among", policies.candidates, front),
        ];
        if let Some(comparison) = findings.shown.first().and_then(|chosen| chosen.comparison.as_ref()) {
            let against = format!("against {}", findings.reference.profile);
            tiles.push(tile("the chosen one", standing_word(comparison.standing), against, Tone::Plain));
        }
        Page {
            title,
            facts,
            tiles,
            chosen: chosen(findings),
            counts: counts(policies),
            race: findings.race.as_ref().map(|race| RaceSection::of(race, findings)),
            fronts: (1..findings.objectives.len()).filter_map(|at| FrontPlot::of(findings, at)).collect(),
            policies: policies_table(findings),
            objectives: (0..findings.objectives.len()).filter_map(|at| objective(findings, at)).collect(),
            method: format!(
                "Intervals hold at {} each. Verdicts hold at {} for all {} comparisons together, by Holm's correction: of means by the bootstrap over documents, of what passes by McNemar's exact test. “n needed” is the number of documents on which a difference of this size would be seen four times out of five.",
                confidence(method.confidence),
                confidence(method.confidence),
                method.comparisons
            ),
        }
    }
}

impl RaceSection {
    fn of(race: &RaceFindings, findings: &Findings) -> Self {
        let (dropped, more) = race::dropped(race, findings);
        let of_dropped = [race::dropped_columns(), figures("mean in the first objective")].concat();
        let mut tables =
            vec![Table::new("Rounds", "Rounds", figures(race::ROUND_COLUMNS), race::rounds(race))];
        if !dropped.is_empty() {
            tables.push(Table::new("Dropped", "Dropped", of_dropped, dropped).more(more));
        }
        RaceSection { said: race::sentences(race), method: race::METHOD, tables }
    }
}

fn chosen(findings: &Findings) -> Vec<String> {
    let Some(chosen) = findings.shown.first() else {
        return vec!["No policy of the space can be chosen.".to_owned()];
    };
    let Some(comparison) = &chosen.comparison else { return Vec::new() };
    let reference = &findings.reference.profile;
    let mut said = vec![
        format!("{}.", policy(chosen)),
        format!("On the documents that it was not chosen on: {}.", standing(comparison.standing, reference)),
        format!("It {}.", passed(comparison, reference)),
    ];
    said.extend(broken_constraints(chosen));
    said
}

fn policies_table(findings: &Findings) -> Table {
    let row = |(number, shown): (usize, &ShownPolicy)| {
        let [standing, against_chosen] = standings(shown);
        let same = thousands(shown.same as u64);
        let passed = percent_of(shown.passed);
        vec![number.to_string(), policy_among(shown, findings), standing, against_chosen, passed, same]
    };
    let (heading, note) = if findings.race.is_some() {
        ("The policy that won", "It was the best one of those that were left when the race ended.")
    } else {
        ("Policies on the front", "The best in the first objective is the first one: it is the chosen one.")
    };
    let standing = words("policy | against the reference | first objective against 1");
    let columns = [figures("number"), standing, figures("passed | others that come to the same")].concat();
    let rows = (1..).zip(&findings.shown).map(row);
    Table::new(heading, "Policies by their number in the plots", columns, rows).note(note)
}

fn objective(findings: &Findings, at: usize) -> Option<Objective> {
    let objective = findings.objectives.get(at)?;
    let row = |ObjectiveRow { number, train, mean, interval, against_reference }| {
        let name = number.map_or_else(|| "–".to_owned(), |number: usize| number.to_string());
        [vec![name, train.unwrap_or_default(), mean, interval], against_reference.to_vec()].concat()
    };
    let numbers = figures("policy | where chosen | where judged | its interval | difference | its interval");
    let columns = [numbers, words("verdict"), figures("n needed")].concat();
    let caption = format!("Means of {} over documents", objective.name);
    let (plot, zero) = differences(findings, at).unzip();
    Some(Objective {
        heading: format!("{} ({})", objective.name, goal(objective.goal)),
        plot,
        zero,
        table: Table::new("", caption, columns, objective_rows(findings, at).into_iter().map(row)),
    })
}
