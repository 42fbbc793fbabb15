//! The changes of a file, line by line.

/// A line of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiffLine<'a> {
    /// In both.
    Same(&'a str),
    /// Only before.
    Removed(&'a str),
    /// Only after.
    Added(&'a str),
    /// Unchanged lines that are left out.
    Gap,
}

/// The number of lines that are shown around a change.
const AROUND: usize = 2;
/// Lines up to which a comparison is the shortest one; longer files are compared from both ends.
const MOST_LINES: usize = 2_000;

/// The changes from one text to another, with some lines around each change.
pub(crate) fn diff<'a>(before: &'a str, after: &'a str) -> Vec<DiffLine<'a>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let end =
        old.iter().skip(start).rev().zip(new.iter().skip(start).rev()).take_while(|(a, b)| a == b).count();
    let mut lines: Vec<DiffLine<'a>> = old.iter().take(start).map(|line| DiffLine::Same(line)).collect();
    let (mid_old, mid_new) = (middle(&old, start, end), middle(&new, start, end));
    lines.extend(compared(mid_old, mid_new));
    lines.extend(old.iter().skip(old.len() - end).map(|line| DiffLine::Same(line)));
    folded(&lines)
}

fn middle<'l, 'a>(lines: &'l [&'a str], start: usize, end: usize) -> &'l [&'a str] {
    lines.get(start..lines.len() - end).unwrap_or_default()
}

/// The shortest way from one to the other, by the longest common subsequence.
fn compared<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<DiffLine<'a>> {
    let removed = |lines: &[&'a str]| lines.iter().map(|line| DiffLine::Removed(line)).collect::<Vec<_>>();
    let added = |lines: &[&'a str]| lines.iter().map(|line| DiffLine::Added(line)).collect::<Vec<_>>();
    if old.len().max(new.len()) > MOST_LINES {
        return [removed(old), added(new)].concat();
    }
    let width = new.len() + 1;
    let mut common = vec![0_u32; (old.len() + 1) * width];
    let at = |i: usize, j: usize| i * width + j;
    let get = |common: &[u32], i: usize, j: usize| common.get(at(i, j)).copied().unwrap_or_default();
    for (i, a) in old.iter().enumerate().rev() {
        for (j, b) in new.iter().enumerate().rev() {
            let longest = if a == b {
                get(&common, i + 1, j + 1) + 1
            } else {
                get(&common, i + 1, j).max(get(&common, i, j + 1))
            };
            if let Some(slot) = common.get_mut(at(i, j)) {
                *slot = longest;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::new();
    while let (Some(a), Some(b)) = (old.get(i), new.get(j)) {
        if a == b {
            lines.push(DiffLine::Same(a));
            (i, j) = (i + 1, j + 1);
        } else if get(&common, i + 1, j) >= get(&common, i, j + 1) {
            lines.push(DiffLine::Removed(a));
            i += 1;
        } else {
            lines.push(DiffLine::Added(b));
            j += 1;
        }
    }
    lines.extend(removed(old.get(i..).unwrap_or_default()));
    lines.extend(added(new.get(j..).unwrap_or_default()));
    lines
}

/// Leaves out unchanged lines far from any change.
fn folded<'a>(lines: &[DiffLine<'a>]) -> Vec<DiffLine<'a>> {
    let changed: Vec<usize> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !matches!(line, DiffLine::Same(_)))
        .map(|(at, _)| at)
        .collect();
    let is_near = |at: usize| changed.iter().any(|change| change.abs_diff(at) <= AROUND);
    let mut shown: Vec<DiffLine<'a>> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if is_near(at) {
            shown.push(*line);
        } else if shown.last() != Some(&DiffLine::Gap) {
            shown.push(DiffLine::Gap);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(before: &str, after: &str) -> String {
        let line = |line: DiffLine<'_>| match line {
            DiffLine::Same(text) => format!(" {text}\n"),
            DiffLine::Removed(text) => format!("-{text}\n"),
            DiffLine::Added(text) => format!("+{text}\n"),
            DiffLine::Gap => "…\n".to_owned(),
        };
        diff(before, after).into_iter().map(line).collect()
    }

    #[test]
    fn changes_stand_among_the_lines_around_them() {
        assert_eq!(shown("a\nb\nc\nd\ne\nf\ng\n", "a\nb\nc\nD\ne\nf\ng\n"), "…\n b\n c\n-d\n+D\n e\n f\n…\n");
        assert_eq!(shown("a\nb\nc\n", "a\nx\nb\nc\nd\n"), " a\n+x\n b\n c\n+d\n");
        assert_eq!(shown("a\n", "a\n"), "…\n");
        assert_eq!(shown("", "a\n"), "+a\n");
    }
}
