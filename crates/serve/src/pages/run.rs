//! A run: its progress, its scores against what is required, its issues, decisions and documents.

use super::parts::{in_address, minute, money, outside, pager, score, time};
use super::run_document::marked;
use super::runs::state;
use crate::access::Identity;
use crate::report::{
    LinePlot, MOST_SERIES, Parts, Series, Tile, Tone, duration, fact_list, facts, figure, figures,
    page_table, percent, swatch, thousands, tile, tile_list, word, words,
};
use crate::runs::{IterationMeans, RunView, SECTION};
use crate::store::{DocumentFigures, DocumentFilter, DocumentStage};
use crate::value::Millis;
use crate::value::prose;
use maud::{Markup, html};

/// The most issues that are shown.
const ISSUES: usize = 15;

/// The page.
pub(crate) fn run(identity: &Identity, view: &RunView) -> Markup {
    let run = &view.row.run;
    let title = format!("Run {}", run.id);
    let fragment = format!("/runs/{}?show={}&page={}&fragment=1", run.id, filter_key(view.filter), view.page);
    SECTION.page(
        &title,
        identity,
        &["live.js"],
        &html! {
            p.crumbs { a href="/runs" { "Runs" } }
            h1 { (title) }
            (fact_list(&facts([
                ("Profile", run.record.profile.clone()),
                ("Started", format!("{} UTC", minute(&run.record.started_at))),
                ("Finished", run.finished_at.as_deref().map(|at| format!("{} UTC", minute(at))).unwrap_or_default()),
                ("State", state(&view.row).to_owned()),
                ("loopctl", run.record.loopctl_version.clone()),
            ])))
            p.said #live-said role="status" {}
            div #live data-fragment=(fragment) data-events=(format!("/api/runs/{}/events", run.id)) { (run_part(view)) }
        },
    )
}

/// The part of the page that changes.
pub(crate) fn run_part(view: &RunView) -> Markup {
    html! {
        (tile_list(&at_a_glance(view)))
        (progress(view))
        (scores(view))
        div.columns { (issues(view)) (decisions(view)) }
        (documents(view))
    }
}

fn at_a_glance(view: &RunView) -> Vec<Tile> {
    let (stages, figures) = (&view.row.stages, &view.row.figures);
    let done = view.row.done();
    let running = stages.of(DocumentStage::Running);
    let mut left = vec![format!("of {}", thousands(stages.sum()))];
    left.extend((running > 0).then(|| format!("{} in progress", thousands(running))));
    let failed = view.row.failed();
    let waits = figures.review.saturating_sub(view.decided);
    let mut review = vec![percent(waits, figures.results)];
    review.extend((view.decided > 0).then(|| format!("{} already decided", thousands(view.decided))));
    if figures.review_passed > 0 {
        let (passed, all) = (thousands(figures.review_passed), thousands(figures.review));
        review.push(format!("{passed} of all {all} passed"));
    }
    let mut tiles = vec![
        tile("Done", thousands(done), left.join(", "), Tone::Plain),
        tile("Passed", thousands(figures.passed), percent(figures.passed, figures.results), Tone::Good),
        tile("Needs review", thousands(waits), review.join(", "), Tone::Warn),
        tile("Failed", thousands(failed), percent(failed, done), Tone::Bad),
        tile(
            "Cost",
            money(figures.cost_usd, figures.calls, figures.calls_of_unknown_cost),
            format!("{}, {}", prose::count(figures.calls, "call"), prose::count(figures.tokens, "token")),
            Tone::Plain,
        ),
    ];
    if let Some(mean) = figures.elapsed_ms.checked_div(figures.results) {
        let longest = format!("on average; longest {}", duration(Millis(figures.longest_ms)));
        tiles.push(tile("Time per document", duration(Millis(mean)), longest, Tone::Plain));
    }
    tiles
}

/// One bar of all documents.
fn progress(view: &RunView) -> Markup {
    let figures = &view.row.figures;
    let parts = [
        ("Passed", "passed", figures.passed),
        ("Not passed", "not-passed", figures.not_passed),
        ("Failed", "failed", view.row.failed()),
        ("Stopped", "stopped", figures.stopped),
        ("Open", "waiting", view.row.open()),
    ];
    let whole: u64 = parts.iter().map(|(.., count)| count).sum();
    html! {
        section aria-labelledby="progress" {
            h2 #progress { "Progress" }
            @if whole == 0 {
                p.soft { "No documents yet." }
            } @else {
                (Parts::of_documents(parts).figure("progress-alt"))
                ul.legend {
                    @for (name, class, count) in parts.into_iter().filter(|(.., count)| *count > 0) {
                        li { (swatch(class)) (name) " " (thousands(count)) " (" (percent(count, whole)) ")" }
                    }
                }
            }
        }
    }
}

/// Scores by iteration, drawn and as a table.
fn scores(view: &RunView) -> Markup {
    let iterations = &view.totals.iterations;
    if iterations.is_empty() {
        return html! {};
    }
    let dimensions = view.totals.dimensions();
    let dimensions: Vec<&String> = dimensions.iter().filter(|name| *name != "overall").collect();
    let mut series = vec![Series {
        name: "overall".to_owned(),
        values: iterations.iter().map(IterationMeans::overall).collect(),
    }];
    series.extend(dimensions.iter().take(MOST_SERIES - 1).map(|name| Series {
        name: (*name).clone(),
        values: iterations.iter().map(|means| means.dimension(name)).collect(),
    }));
    let target = view.targets.get("overall").copied();
    let plot = LinePlot {
        id: "scores",
        alt: format!(
            "Mean scores by iteration: overall {} in the first, {} in the last.",
            score(iterations.first().and_then(IterationMeans::overall)),
            score(iterations.last().and_then(IterationMeans::overall))
        ),
        steps: (0..iterations.len()).map(|at| format!("iteration {at}")).collect(),
        series,
        bound: target.map(|target| (target, format!("overall required: {target}"))),
        range: (0.0, 1.0),
        written: &|value| format!("{value:.2}"),
        caption: "Means over the documents that reached each iteration; those that pass early are not in later ones.",
    };
    let target_of = |name: &str| view.targets.get(name).map_or_else(|| "–".to_owned(), ToString::to_string);
    let names: Vec<String> = (0..iterations.len()).map(|at| at.to_string()).collect();
    let mut columns = vec![word("Score"), figure("Required")];
    columns.extend(names.iter().map(|name| figure(name)));
    let of = |name: &str, value: &dyn Fn(&IterationMeans) -> Option<f64>| {
        let mut row = vec![outside(name), html! { (target_of(name)) }];
        row.extend(iterations.iter().map(|means| html! { (score(value(means))) }));
        row
    };
    let mut rows = vec![of("overall", &IterationMeans::overall)];
    rows.extend(dimensions.iter().map(|name| of(name, &|means: &IterationMeans| means.dimension(name))));
    let mut counts = vec![html! { "documents" }, html! {}];
    counts.extend(iterations.iter().map(|means| html! { (thousands(means.documents)) }));
    rows.push(counts);
    html! {
        section aria-labelledby="scores-heading" {
            h2 #scores-heading { "Scores by iteration" }
            div.beside-plot {
                (plot.figure())
                (page_table("Mean scores by iteration", &columns, rows))
            }
        }
    }
}

fn issues(view: &RunView) -> Markup {
    let mut issues: Vec<_> = view.totals.issues.iter().collect();
    issues.sort_by_key(|(key, (documents, count))| (std::cmp::Reverse((*documents, *count)), *key));
    let rows: Vec<Vec<Markup>> = (issues.iter().take(ISSUES))
        .map(|((severity, code), (documents, count))| {
            vec![
                html! { code { (outside(code)) } },
                outside(severity),
                html! { (thousands(*documents)) },
                html! { (thousands(*count)) },
            ]
        })
        .collect();
    html! {
        section aria-labelledby="issues" {
            h2 #issues { "Most frequent issues" }
            @if rows.is_empty() {
                p.soft { "No issues in the candidates returned so far." }
            } @else {
                (page_table("Issues of the returned candidates", &[words("Issue | Severity"), figures("Documents | Count")].concat(), rows))
                @if issues.len() > ISSUES { p.soft { "and " (issues.len() - ISSUES) " more kinds" } }
            }
        }
    }
}

fn decisions(view: &RunView) -> Markup {
    html! {
        section aria-labelledby="decisions" {
            h2 #decisions { "Latest decisions" }
            @if view.decisions.is_empty() {
                p.soft { "No decisions yet." }
            } @else {
                ol.decisions {
                    @for one in &view.decisions {
                        li {
                            a href=(address(view, one.document.as_str())) { (outside(one.document.as_str())) }
                            span.soft { " iteration " (one.iteration) ": " }
                            span class=(one.class) { (marked(&one.words)) }
                        }
                    }
                }
            }
        }
    }
}

fn address(view: &RunView, document: &str) -> String {
    format!("/runs/{}/{}", view.row.run.id, in_address(document))
}

/// The key of a selection of documents in addresses.
pub(crate) fn filter_key(filter: DocumentFilter) -> &'static str {
    match filter {
        DocumentFilter::All => "all",
        DocumentFilter::Passed => "passed",
        DocumentFilter::NotPassed => "not-passed",
        DocumentFilter::Review => "review",
        DocumentFilter::Failed => "failed",
        DocumentFilter::Open => "open",
    }
}

fn filter_name(filter: DocumentFilter) -> &'static str {
    match filter {
        DocumentFilter::All => "All",
        DocumentFilter::Passed => "Passed",
        DocumentFilter::NotPassed => "Not passed",
        DocumentFilter::Review => "Needs review",
        DocumentFilter::Failed => "Failed",
        DocumentFilter::Open => "Open",
    }
}

fn documents(view: &RunView) -> Markup {
    let run = &view.row.run.id;
    let list = format!("/runs/{run}?show={}", filter_key(view.filter));
    let columns =
        [words("Document | Type | Ended"), figures("Score | Iterations | Time | Cost"), words("Review")]
            .concat();
    let rows: Vec<Vec<Markup>> = view.documents.iter().map(|document| document_row(view, document)).collect();
    html! {
        section aria-labelledby="documents" {
            h2 #documents { "Documents" }
            nav.filters aria-label="Which documents" {
                @for filter in DocumentFilter::ALL {
                    a href=(format!("/runs/{run}?show={}#documents", filter_key(filter))) aria-current=[(filter == view.filter).then_some("true")] { (filter_name(filter)) }
                }
            }
            @if rows.is_empty() {
                p.empty { "There are no such documents." }
            } @else {
                (page_table(&format!("Documents: {}, {}", filter_name(view.filter).to_lowercase(), thousands(view.listed)), &columns, rows))
                (pager("documents", &list, view.page, view.pages))
            }
        }
    }
}

fn document_row(view: &RunView, document: &DocumentFigures) -> Vec<Markup> {
    let id = document.id.as_str();
    let is_over =
        matches!(document.stage, DocumentStage::Finished | DocumentStage::Failed | DocumentStage::GivenUp);
    let calls = document.calls_of_unknown_cost;
    vec![
        html! { a href=(address(view, id)) { (outside(id)) } },
        outside(&document.document_type),
        ended(document),
        html! { (score(document.overall.filter(|_| is_over))) },
        html! { (document.iteration_count.filter(|_| is_over).map_or_else(|| "–".to_owned(), thousands)) },
        html! { (time(document.elapsed_ms.filter(|_| is_over))) },
        html! {
            @match document.cost_usd.filter(|_| is_over) {
                Some(cost) => (money(cost, if cost > 0.0 { u64::MAX } else { calls }, calls)),
                None => "–",
            }
        },
        html! {
            @if is_over && document.review { a href=(format!("/review/{}/{}", view.row.run.id, in_address(id))) { "Review" } }
        },
    ]
}

/// The end of a document, or its state so far.
fn ended(document: &DocumentFigures) -> Markup {
    let class = match (document.stage, document.final_status.as_deref()) {
        (DocumentStage::Finished | DocumentStage::Failed, Some("passed" | "skipped")) => "good",
        (DocumentStage::Failed | DocumentStage::GivenUp, None) | (_, Some("failed")) => "bad",
        (DocumentStage::Finished | DocumentStage::Failed, _) => "warn",
        _ => "soft",
    };
    html! { span class=(class) { (outside(&ended_words(document))) } }
}

/// The end of a document, or its state so far, in words.
pub(super) fn ended_words(document: &DocumentFigures) -> String {
    match (document.stage, &document.final_status, &document.stop_reason) {
        (DocumentStage::Waiting, ..) => "waiting".to_owned(),
        (DocumentStage::Running, ..) => "in progress".to_owned(),
        (DocumentStage::Parked, ..) => "waiting for a batch".to_owned(),
        (_, Some(status), Some(reason)) if !status.starts_with(reason) => {
            format!("{status}: {reason}").replace('_', " ")
        }
        (_, Some(status), _) => status.replace('_', " "),
        (DocumentStage::GivenUp, None, _) => "given up".to_owned(),
        (_, None, _) => document.reason.clone().unwrap_or_else(|| "no result".to_owned()),
    }
}
