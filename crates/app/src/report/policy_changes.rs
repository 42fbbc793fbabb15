//! Changes from one profile to another, for people.

use super::model::{Block, Item, List, Piece, Tone, lines, toned};
use super::paint::Paint;
use crate::explain::policy::{Change, Comparison, Documents, Ended, Moved, Said, SettingEffect};
use crate::facts::Origin;
use crate::value::prose::count;

/// The changes in behaviour by section, the files that differ, and the settings that make no difference.
#[must_use]
pub fn policy_changes_text(comparison: &Comparison, paint: Paint) -> String {
    let Comparison { before, after, .. } = comparison;
    let told = match (comparison.is_same(), before == after) {
        (true, true) => {
            format!("`{before}` is compared with itself, and no flag changes it: both do the same.")
        }
        (true, false) => format!("`{before}` and `{after}` do the same."),
        (false, _) => format!("From `{before}` to `{after}`:"),
    };
    let mut blocks = vec![Block::Text(Tone::Plain, told)];
    let of = |effect| comparison.settings.iter().filter(move |setting| setting.effect == effect);
    let untried = of(SettingEffect::Unknown).count() as u64;
    if untried > 0 {
        let (settings, differ) = (count(untried, "setting"), if untried == 1 { "differs" } else { "differ" });
        let told = format!("{settings} {differ}; which of them make no difference was not looked into.");
        blocks.push(Block::Text(Tone::Plain, told));
    }
    for changes in comparison.changes.chunk_by(|one, next| one.section == next.section) {
        let section = changes.first().map_or("", |change| change.section);
        blocks.extend(listed(section, changes.iter().filter_map(one_change).collect()));
    }
    let from_to = |name: &str, before: &str, after: &str| Item::from(format!("{name}: {before} → {after}"));
    let files = comparison.files.iter().map(|file| from_to(&file.name, &file.before, &file.after));
    blocks.extend(listed("Files of the same name that are not the same", files.collect()));
    let idle = of(SettingEffect::None).map(|setting| {
        let [before, after] = [&setting.before, &setting.after].map(|of| of.as_deref().unwrap_or("not set"));
        from_to(&setting.path, before, after)
    });
    blocks.extend(listed("Set otherwise, with no effect on what is done", idle.collect()));
    lines(&blocks, paint)
}

/// Items below a heading; nothing without any.
fn listed(heading: &str, items: Vec<Item>) -> Vec<Block> {
    if items.is_empty() {
        return Vec::new();
    }
    vec![Block::Section(heading.to_owned()), Block::List(List::of(items))]
}

fn one_change(change: &Change) -> Option<Item> {
    let said = |side: &Said| format!("{}{}", side.text, bracketed(&places(&side.origin)));
    let line = |tone, sign, text| vec![toned(tone, sign), Piece::Outside(text)];
    Some(match (change.inline(), &change.before, &change.after) {
        (Some(inline), Some(before), Some(after)) => {
            let (from, to) = (places(&before.origin), places(&after.origin));
            let places = if from == to { to } else { format!("{from} → {to}") };
            line(Tone::Warn, "~", format!(" {inline}{}", bracketed(&places))).into()
        }
        (_, Some(before), Some(after)) => {
            let now = Item::from(format!("now: {}", said(after)));
            Item::new("", line(Tone::Warn, "~", format!(" was: {}", said(before))), vec![now])
        }
        (_, Some(before), None) => line(Tone::Bad, "-", format!(" no longer: {}", said(before))).into(),
        (_, None, Some(after)) => line(Tone::Good, "+", format!(" new: {}", said(after))).into(),
        (_, None, None) => return None,
    })
}

/// The locations of the settings from which something follows.
fn places(origin: &[Origin]) -> String {
    let mut places: Vec<String> = origin.iter().map(Origin::text).collect();
    places.dedup();
    places.join(", ")
}

fn bracketed(places: &str) -> String {
    if places.is_empty() { String::new() } else { format!("  [{places}]") }
}

/// The recorded documents that end otherwise: the sums, then each document.
#[must_use]
pub fn documents_text(documents: &Documents, paint: Paint) -> String {
    let sum = documents.sum();
    let told = match sum.differ {
        0 => format!("All {} end alike.", sum.documents),
        differ => format!(
            "{differ} of {} end otherwise: {} newly accepted, {} no longer; {} fewer and {} more.",
            sum.documents,
            sum.newly_accepted,
            sum.no_longer_accepted,
            count(sum.candidates_fewer, "candidate"),
            sum.candidates_more
        ),
    };
    let row = |moved: &Moved| {
        let id = moved.id.as_str().map_or_else(|| moved.id.to_string(), str::to_owned);
        format!("{id}: {} → {}", ended(&moved.before), ended(&moved.after))
    };
    let mut blocks = vec![
        Block::Section("On the recorded documents".to_owned()),
        Block::Text(Tone::Plain, told),
        // A line for each, so that they can be searched and counted.
        Block::List(List::of(documents.moved().iter().map(row))),
    ];
    let left = sum.differ.saturating_sub(documents.moved().len() as u64);
    if left > 0 {
        blocks.push(Block::Text(Tone::Plain, format!("and {left} more; `--all` names them.")));
    }
    format!("\n{}\n", lines(&blocks, paint))
}

/// `passed / accepted, candidate 1 of 2 (0.96)`.
fn ended(ended: &Ended) -> String {
    let chosen = match (ended.best_iteration, ended.overall) {
        (Some(best), Some(overall)) => {
            format!("candidate {best} of {} ({overall:.4})", ended.iteration_count)
        }
        _ => "no candidate".to_owned(),
    };
    format!("{} / {}, {chosen}", ended.final_status, ended.stop_reason)
}
