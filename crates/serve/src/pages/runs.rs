//! The list of runs.

use super::layout::{NavSection, page};
use super::parts::{minute, money, outside, pager, share, table};
use crate::access::Identity;
use crate::report::thousands;
use crate::runs::{RunList, RunRow};
use crate::store::RunStage;
use maud::{Markup, html};

/// The page.
pub(crate) fn runs(identity: &Identity, list: &RunList) -> Markup {
    page(
        "Runs",
        identity,
        NavSection::Runs,
        &["live.js"],
        &html! {
            h1 { "Runs" }
            div #live data-fragment=(format!("/runs?page={}&fragment=1", list.page)) data-every="5" { (runs_part(list)) }
        },
    )
}

/// The part of the page that changes.
pub(crate) fn runs_part(list: &RunList) -> Markup {
    let head = [
        ("Run", false),
        ("Profile", false),
        ("Started (UTC)", false),
        ("State", false),
        ("Documents", true),
        ("Open", true),
        ("Failed", true),
        ("Passed", true),
        ("Needed review", true),
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

fn row(row: &RunRow) -> Vec<Markup> {
    let RunRow { run, stages, figures } = row;
    vec![
        html! { a href=(format!("/runs/{}", run.id)) { (run.id) } },
        outside(&run.record.profile),
        html! { (minute(&run.record.started_at)) },
        html! { (state(row)) },
        html! { (thousands(stages.sum())) },
        html! { (thousands(row.open())) },
        html! { (thousands(row.failed())) },
        html! { (share(figures.passed, figures.results)) },
        html! { (thousands(figures.review)) },
        html! { (money(figures.cost_usd, figures.calls, figures.calls_of_unknown_cost)) },
    ]
}

/// The state of a run, for people. The service leaves a run open for further documents: it is done for as long as none
/// come.
pub(super) fn state(row: &RunRow) -> &'static str {
    match row.run.stage {
        RunStage::Open if row.open() == 0 && row.done() > 0 => "done",
        RunStage::Open => "in progress",
        RunStage::Finished => "finished",
        RunStage::Cancelled => "cancelled",
    }
}
