//! The list of runs.

use super::parts::{minute, money, outside, pager};
use crate::access::Identity;
use crate::report::{figures, page_table, percent, thousands, words};
use crate::runs::{RunList, RunRow, SECTION};
use crate::store::RunStage;
use maud::{Markup, html};

/// The page.
pub(crate) fn runs(identity: &Identity, list: &RunList) -> Markup {
    SECTION.page(
        "Runs",
        identity,
        &["live.js"],
        &html! {
            h1 { "Runs" }
            div #live data-fragment=(format!("/runs?page={}&fragment=1", list.page)) data-every="5" { (runs_part(list)) }
        },
    )
}

/// The part of the page that changes.
pub(crate) fn runs_part(list: &RunList) -> Markup {
    let columns = [
        words("Run | Profile | Started (UTC) | State"),
        figures("Documents | Open | Failed | Passed | Needed review | Cost"),
    ]
    .concat();
    html! {
        @if list.rows.is_empty() {
            p.empty { "No runs yet. Submit a document, or run some with " code { "loopctl run" } "." }
        } @else {
            (page_table(&format!("Runs, newest first; {} in total", thousands(list.count)), &columns, list.rows.iter().map(row).collect()))
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
        html! { (percent(figures.passed, figures.results)) },
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
