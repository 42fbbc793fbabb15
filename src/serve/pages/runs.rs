//! The list of runs.

use super::layout::{Section, page};
use super::parts::{minute, money, outside, pager, share, table};
use crate::report::thousands;
use crate::serve::access::Identity;
use crate::serve::runs::{RunList, RunRow};
use crate::store::{DocumentStage, RunStage};
use maud::{Markup, html};

/// The page.
pub(in crate::serve) fn runs(identity: &Identity, list: &RunList) -> Markup {
    page(
        "Runs",
        identity,
        Section::Runs,
        &["live.js"],
        &html! {
            h1 { "Runs" }
            div #live data-fragment=(format!("/runs?page={}&fragment=1", list.page)) data-every="5" { (runs_part(list)) }
        },
    )
}

/// What changes on it.
pub(in crate::serve) fn runs_part(list: &RunList) -> Markup {
    let head = [
        ("Run", false),
        ("Profile", false),
        ("Started (UTC)", false),
        ("State", false),
        ("Documents", true),
        ("Open", true),
        ("Failed", true),
        ("Passed", true),
        ("Needs review", true),
        ("Cost", true),
    ];
    html! {
        @if list.rows.is_empty() {
            p.empty { "No runs yet. Submit a document, or run some with " code { "loopctl run" } "." }
        } @else {
            (table(&format!("Runs, the latest first; {} in all", thousands(list.count)), &head, &list.rows.iter().map(row).collect::<Vec<_>>()))
            (pager("runs", "/runs", list.page, list.pages))
        }
    }
}

fn row(RunRow { run, stages, figures }: &RunRow) -> Vec<Markup> {
    let open = [DocumentStage::Waiting, DocumentStage::Running, DocumentStage::Parked];
    let open: u64 = open.into_iter().map(|stage| stages.of(stage)).sum();
    vec![
        html! { a href=(format!("/runs/{}", run.id)) { (run.id) } },
        outside(&run.record.profile),
        html! { (minute(&run.record.started_at)) },
        html! { (state(run.stage)) },
        html! { (thousands(stages.sum())) },
        html! { (thousands(open)) },
        html! { (thousands(stages.of(DocumentStage::Failed) + stages.of(DocumentStage::GivenUp))) },
        html! { (share(figures.passed, figures.results)) },
        html! { (thousands(figures.review)) },
        html! { (money(figures.cost_usd, figures.calls, figures.calls_of_unknown_cost)) },
    ]
}

/// How far a run is, for people.
pub(super) fn state(stage: RunStage) -> &'static str {
    match stage {
        RunStage::Open => "goes on",
        RunStage::Finished => "finished",
        RunStage::Cancelled => "cancelled",
    }
}
