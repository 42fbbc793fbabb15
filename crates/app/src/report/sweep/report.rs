//! The report of an experiment: the chosen policy first, then the front.

use super::plots::{differences, front};
use super::race;
use super::words::{
    ObjectiveRow, broken_constraints, counts, decimals, goal, number, objective_rows, passed, policy,
    policy_among, signed, signed_interval, standing, standing_word, standings, verdict,
};
use crate::experiment::sweep::{Comparison, Findings, RaceFindings, ShownPolicy};
use crate::report::figures::{confidence, percent_of, thousands};
use crate::report::model::{Block, List, Plot, Report, Row, Table, Tile, Tone, facts, figures, tile, words};

/// The report.
pub(in crate::report) fn report(findings: &Findings) -> Report {
    let method = &findings.statistics;
    let facts = facts([
        ("Reference", findings.reference.profile.clone()),
        ("Samples", format!("{}, seed {}", thousands(method.samples as u64), method.seed)),
        ("Split", format!("seed {}", method.split_seed)),
        ("Constraints", findings.constraints.join("; ")),
    ]);
    let mut blocks = vec![Block::Tiles(tiles(findings))];
    blocks.extend(chosen(findings));
    blocks.extend(findings.race.iter().flat_map(|race| rounds(findings, race)));
    blocks.extend((1..findings.objectives.len()).filter_map(|at| front(findings, at)).flat_map(
        |(heading, plot)| {
            let caption = "Grey: policies where they are chosen. Numbers: those on the front, with intervals where they are judged.";
            [Block::Section(heading), Block::Plot(Plot::Front(Box::new(plot), caption))]
        },
    ));
    blocks.extend(policies(findings));
    blocks.extend((0..findings.objectives.len()).flat_map(|at| objective(findings, at)));
    blocks.push(Block::Section("What became of the policies".to_owned()));
    blocks.push(Block::List(List::of(counts(&findings.policies))));
    let title = if findings.description.is_empty() { "Sweep" } else { &findings.description };
    Report { title: title.to_owned(), facts, blocks }
}

fn tiles(findings: &Findings) -> Vec<Tile> {
    let (documents, policies) = (&findings.documents, &findings.policies);
    let counted = |name, count: usize, note: String| tile(name, thousands(count as u64), note, Tone::Plain);
    let judged = format!("{} to choose on", thousands(documents.train as u64));
    let front = if findings.race.is_some() {
        "after the last round".to_owned()
    } else {
        format!("{} on the Pareto front", thousands(policies.front as u64))
    };
    let mut tiles = vec![
        counted("Judged on", documents.test, judged),
        counted("Policies", policies.policies, format!("{} tried", thousands(policies.tried as u64))),
        counted("To choose among", policies.candidates, front),
    ];
    if let Some(comparison) = findings.shown.first().and_then(|chosen| chosen.comparison.as_ref()) {
        let against = format!("against {}", findings.reference.profile);
        tiles.push(tile("The chosen one", standing_word(comparison.standing), against, Tone::Plain));
    }
    tiles
}

/// The chosen policy, and what is known of it.
fn chosen(findings: &Findings) -> Vec<Block> {
    let mut blocks = vec![Block::Section("Chosen".to_owned())];
    let Some(chosen) = findings.shown.first() else {
        let none = "No policy of the space can be chosen.".to_owned();
        blocks.push(Block::Text(Tone::Plain, none));
        return blocks;
    };
    blocks.push(Block::Text(Tone::Plain, policy(chosen)));
    let reference = format!("`{}`", findings.reference.profile);
    if let Some(comparison) = &chosen.comparison {
        let judged = format!(
            "On the documents that it was not chosen on: {}.",
            standing(comparison.standing, &reference)
        );
        blocks.push(Block::Text(Tone::Plain, judged));
        let mut said = differs(findings, chosen, comparison, &reference);
        said.push(format!("It {}.", passed(comparison, &reference)));
        said.extend(broken_constraints(chosen));
        said.extend(where_chosen(findings, comparison));
        blocks.push(Block::List(List::of(said)));
    }
    let method = &findings.statistics;
    let all = match method.comparisons {
        1 => "the one comparison".to_owned(),
        several => format!("all {several} comparisons together, by Holm's correction"),
    };
    let sure = confidence(method.confidence);
    let note = format!(
        "Intervals hold at {sure} each. Verdicts hold at {sure} for {all}: of means by the bootstrap over documents, of what passes by McNemar's exact test. “n needed” is the number of documents on which a difference of this size would be seen four times out of five.",
    );
    blocks.push(Block::Text(Tone::Faint, note));
    blocks
}

/// The chosen policy and the reference in each objective.
fn differs(
    findings: &Findings,
    chosen: &ShownPolicy,
    comparison: &Comparison,
    reference: &str,
) -> Vec<String> {
    let means = chosen.test.iter().zip(&findings.reference.test);
    let all = findings.objectives.iter().zip(&comparison.objectives).zip(means).enumerate();
    let said = all.map(|(at, ((objective, difference), (own, other)))| {
        let digits = decimals(findings, at);
        format!(
            "{} {}, {reference} {}: {} ({}), {}",
            objective.name,
            number(own.mean, digits),
            number(other.mean, digits),
            signed(difference.estimate.mean, digits),
            signed_interval(&difference.estimate, digits),
            verdict(difference.verdict)
        )
    });
    said.collect()
}

fn where_chosen(findings: &Findings, comparison: &Comparison) -> Vec<String> {
    let all = findings.objectives.iter().zip(&comparison.train).enumerate();
    let said = all.map(|(at, (objective, estimate))| {
        let digits = decimals(findings, at);
        format!(
            "where it was chosen, which flatters it: {} {} ({})",
            objective.name,
            signed(estimate.mean, digits),
            signed_interval(estimate, digits)
        )
    });
    said.collect()
}

/// The course of each round, and the dropped policies.
fn rounds(findings: &Findings, race: &RaceFindings) -> Vec<Block> {
    let rows = race::rounds(race).into_iter().map(Row::from).collect();
    let mut blocks = vec![
        Block::Section("The race".to_owned()),
        Block::List(List::of(race::sentences(race))),
        Block::Note(race::METHOD.to_owned()),
        Block::Group("Rounds".to_owned()),
        Block::Table(Table::new("Rounds", figures(race::ROUND_COLUMNS), rows)),
    ];
    let (dropped, more) = race::dropped(race, findings);
    if !dropped.is_empty() {
        let columns = [race::dropped_columns(), figures("mean in the first objective")].concat();
        let rows = dropped.into_iter().map(Row::from).collect();
        blocks.push(Block::Group("Dropped".to_owned()));
        blocks.push(Block::Table(Table::new("Dropped", columns, rows).first(more, usize::MAX)));
    }
    blocks
}

/// The policies by their numbers.
fn policies(findings: &Findings) -> Vec<Block> {
    if findings.shown.is_empty() {
        return Vec::new();
    }
    let row = |(number, shown): (usize, &ShownPolicy)| {
        let [standing, against_chosen] = standings(shown);
        let (passed, same) = (percent_of(shown.passed), thousands(shown.same as u64));
        let name = policy_among(shown, findings);
        Row::from(vec![number.to_string(), name, standing, against_chosen, passed, same])
    };
    let (heading, note) = if findings.race.is_some() {
        ("The policy that won", "It was the best one of those that were left when the race ended.")
    } else {
        ("Policies on the front", "The best in the first objective is the first one: it is the chosen one.")
    };
    let names = words("policy | against the reference | first objective against 1");
    let columns =
        [figures("number="), names, figures("passed | others that come to the same=come to the same")]
            .concat();
    let rows = (1..).zip(&findings.shown).map(row).collect();
    vec![
        Block::Section(heading.to_owned()),
        Block::Note(note.to_owned()),
        Block::Table(Table::new("Policies by their number in the plots", columns, rows)),
    ]
}

/// The figures of each policy in an objective.
fn objective(findings: &Findings, at: usize) -> Vec<Block> {
    let Some(objective) = findings.objectives.get(at) else { return Vec::new() };
    let row = |ObjectiveRow { number, train, mean, interval, against_reference }| {
        let name = number.map_or_else(|| "–".to_owned(), |number: usize| number.to_string());
        Row::from(
            [vec![name, train.unwrap_or_default(), mean, interval], against_reference.to_vec()].concat(),
        )
    };
    let numbers = figures(
        "policy= | where chosen=chosen on | where judged=mean | its interval=interval | difference | its interval=interval",
    );
    let columns = [numbers, words("verdict="), figures("n needed")].concat();
    let mut blocks = vec![Block::Section(format!("{} ({})", objective.name, goal(objective.goal)))];
    blocks.extend(differences(findings, at).map(|plot| {
        let caption = "Differences to the reference on the same documents, where policies are judged.";
        Block::Plot(Plot::Dots(plot, caption))
    }));
    let rows = objective_rows(findings, at).into_iter().map(row).collect();
    blocks.push(Block::Table(Table::new(
        format!("Means of {} over documents", objective.name),
        columns,
        rows,
    )));
    blocks
}
