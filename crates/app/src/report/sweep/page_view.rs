//! The contents of the page of an experiment: words, numbers, plots and tables, which the template lays out.

use super::plots::{DifferencePlot, FrontPlot};
use super::race;
use super::words::{
    against_reference, broken_constraints, counts, decimals, goal, interval, number, passed, percent, policy,
    policy_among, standing, standing_word, verdict,
};
use crate::experiment::sweep::{Findings, RaceFindings, ShownPolicy};
use crate::report::page::{Fact, Row, Table, Tile, column, figure};
use crate::report::run_summary::thousands;
use serde::Serialize;

#[derive(Debug, Serialize)]
pub(super) struct Page<'a> {
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
    plot: Option<DifferencePlot>,
    table: Table,
}

impl<'a> Page<'a> {
    pub(super) fn of(findings: &'a Findings, title: &'a str) -> Self {
        let method = &findings.statistics;
        let (documents, policies) = (&findings.documents, &findings.policies);
        let constraints = findings.constraints.join("; ");
        let mut facts = vec![
            Fact { name: "reference", value: findings.reference.profile.clone() },
            Fact {
                name: "samples",
                value: format!("{}, seed {}", thousands(method.samples as u64), method.seed),
            },
            Fact { name: "split", value: format!("seed {}", method.split_seed) },
        ];
        if !constraints.is_empty() {
            facts.push(Fact { name: "constraints", value: constraints });
        }
        let tile =
            |name, count: usize, note: String| Tile { name, value: thousands(count as u64), note, class: "" };
        let judged = format!("{} to choose on", thousands(documents.train as u64));
        let front = if findings.race.is_some() {
            "after the last round".to_owned()
        } else {
            format!("{} on the Pareto front", thousands(policies.front as u64))
        };
        let mut tiles = vec![
            tile("judged on", documents.test, judged),
            tile("policies", policies.policies, format!("{} tried", thousands(policies.tried as u64))),
            tile("to choose among", policies.candidates, front),
        ];
        if let Some(comparison) = findings.shown.first().and_then(|chosen| chosen.comparison.as_ref()) {
            tiles.push(Tile {
                name: "the chosen one",
                value: standing_word(comparison.standing).to_owned(),
                note: format!("against {}", findings.reference.profile),
                class: "",
            });
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
                percent(method.confidence),
                percent(method.confidence),
                method.comparisons
            ),
        }
    }
}

impl RaceSection {
    fn of(race: &RaceFindings, findings: &Findings) -> Self {
        let table = |heading: &str, columns, rows: Vec<Vec<String>>, more| Table {
            heading: heading.to_owned(),
            note: String::new(),
            caption: heading.to_owned(),
            bars: "",
            columns,
            rows: rows.into_iter().map(|cells| Row { cells, bar: 0.0, class: "" }).collect(),
            more,
        };
        let rounds: Vec<Vec<String>> = (1..).zip(&race.rounds).map(race::round_row).collect();
        let listed = race.dropped.iter().take(race::MOST_DROPPED);
        let dropped: Vec<Vec<String>> = listed.map(|one| race::dropped_row(one, findings)).collect();
        let more = race.dropped.len() - dropped.len();
        let who = vec![
            column("policy"),
            figure("round"),
            figure("documents"),
            column("why"),
            figure("mean in the first objective"),
        ];
        let mut tables = vec![table("Rounds", race::ROUND_COLUMNS.map(figure).into(), rounds, 0)];
        if !dropped.is_empty() {
            tables.push(table("Dropped", who, dropped, more));
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
        let comparison = shown.comparison.as_ref();
        Row {
            cells: vec![
                number.to_string(),
                policy_among(shown, findings),
                comparison.map_or("", |comparison| standing_word(comparison.standing)).to_owned(),
                match comparison.and_then(|comparison| comparison.against_chosen) {
                    Some(difference) => verdict(difference.verdict).to_owned(),
                    None => "–".to_owned(),
                },
                percent_of(shown.passed),
                thousands(shown.same as u64),
            ],
            bar: 0.0,
            class: "",
        }
    };
    Table {
        heading: if findings.race.is_some() { "The policy that won" } else { "Policies on the front" }
            .to_owned(),
        note: if findings.race.is_some() {
            "It was the best one of those that were left when the race ended."
        } else {
            "The best in the first objective is the first one: it is the chosen one."
        }
        .to_owned(),
        caption: "Policies by their number in the plots".to_owned(),
        bars: "",
        columns: vec![
            figure("number"),
            column("policy"),
            column("against the reference"),
            column("first objective against 1"),
            figure("passed"),
            figure("others that come to the same"),
        ],
        rows: (1..).zip(&findings.shown).map(row).collect(),
        more: 0,
    }
}

fn percent_of(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn objective(findings: &Findings, at: usize) -> Option<Objective> {
    let objective = findings.objectives.get(at)?;
    let digits = decimals(findings, at);
    let row = |name: String, shown: &ShownPolicy| {
        let (estimate, train) = (shown.test.get(at)?, shown.train.get(at)?);
        let mut cells =
            vec![name, number(*train, digits), number(estimate.mean, digits), interval(estimate, digits)];
        cells.extend(against_reference(shown, at, digits));
        Some(Row { cells, bar: 0.0, class: "" })
    };
    let mut rows: Vec<Row> = row("–".to_owned(), &findings.reference).into_iter().collect();
    rows.extend(
        (1..).zip(&findings.shown).filter_map(|(number, shown): (usize, _)| row(number.to_string(), shown)),
    );
    Some(Objective {
        heading: format!("{} ({})", objective.name, goal(objective.goal)),
        plot: DifferencePlot::of(findings, at),
        table: Table {
            heading: String::new(),
            note: String::new(),
            caption: format!("Means of {} over documents", objective.name),
            bars: "",
            columns: vec![
                figure("policy"),
                figure("where chosen"),
                figure("where judged"),
                figure("its interval"),
                figure("difference"),
                figure("its interval"),
                column("verdict"),
                figure("n needed"),
            ],
            rows,
            more: 0,
        },
    })
}
