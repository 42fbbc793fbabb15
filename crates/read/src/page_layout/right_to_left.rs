//! Text that runs to the left: from the order in which characters are seen to that in which they are read.

/// Characters of brackets that are drawn as their counterparts in text that runs to the left.
const MIRRORED: [(char, char); 4] = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>')];

/// Returns whether a text has letters that run to the left: Hebrew, Arabic and their neighbours.
pub(in super::super) fn is_right_to_left(text: &str) -> bool {
    text.chars().any(is_leftward)
}

fn is_leftward(c: char) -> bool {
    !is_digit(c)
        && matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '\u{660}'..='\u{669}' | '\u{6f0}'..='\u{6f9}')
}

/// A word in the order of reading, from that of sight: numbers and Latin letters within it run to the right.
pub(super) fn read_word(seen: &str) -> String {
    let clusters = clusters_reversed(seen);
    let runs_right = |cluster: Option<&Vec<char>>| {
        cluster.is_some_and(|cluster| cluster.iter().all(|&c| c.is_alphanumeric() && !is_leftward(c)))
    };
    let in_number = |at: usize| {
        let is_joint =
            matches!(clusters.get(at).map(Vec::as_slice), Some(['.' | ',' | ':' | '/' | '-' | '%']));
        is_joint && at > 0 && runs_right(clusters.get(at - 1)) && runs_right(clusters.get(at + 1))
    };
    let marked: Vec<(bool, &Vec<char>)> = clusters
        .iter()
        .enumerate()
        .map(|(at, cluster)| (runs_right(Some(cluster)) || in_number(at), cluster))
        .collect();
    let mut read = String::with_capacity(seen.len());
    for run in marked.chunk_by(|a, b| a.0 == b.0) {
        if run.first().is_some_and(|first| first.0) {
            read.extend(run.iter().rev().flat_map(|(_, cluster)| cluster.iter()));
        } else {
            read.extend(run.iter().flat_map(|(_, cluster)| cluster.iter()).map(|&c| mirrored(c)));
        }
    }
    read
}

/// The text of one glyph in the order of sight.
pub(in super::super) fn as_seen(read: &str) -> String {
    if read.chars().nth(1).is_some()
        && is_right_to_left(read)
        && !read.chars().any(|c| c.is_ascii_alphabetic())
    {
        clusters_reversed(read).into_iter().flatten().collect()
    } else {
        read.to_owned()
    }
}

/// The characters of a text, each with the marks that follow it, the last one first.
fn clusters_reversed(text: &str) -> Vec<Vec<char>> {
    let mut clusters: Vec<Vec<char>> = Vec::new();
    for c in text.chars() {
        match clusters.last_mut() {
            Some(cluster) if is_mark(c) => cluster.push(c),
            _ => clusters.push(vec![c]),
        }
    }
    clusters.reverse();
    clusters
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}')
}

fn mirrored(c: char) -> char {
    let other = |(open, close): &(char, char)| match c {
        _ if c == *open => Some(*close),
        _ if c == *close => Some(*open),
        _ => None,
    };
    MIRRORED.iter().find_map(other).unwrap_or(c)
}

/// Brings neighbours on a line that are seen from left to right into the order of reading, if most run to the left.
/// `text` tells what a neighbour reads as.
pub(super) fn read_order<T>(neighbours: &mut [T], text: impl Fn(&T) -> &str) {
    let runs_left = neighbours.iter().filter(|one| is_right_to_left(text(one))).count();
    let runs_right = neighbours
        .iter()
        .filter(|one| !is_right_to_left(text(one)) && text(one).chars().any(char::is_alphabetic))
        .count();
    if runs_left == 0 || runs_left < runs_right {
        return;
    }
    neighbours.reverse();
    for run in neighbours.chunk_by_mut(|a, b| is_latin(text(a)) && is_latin(text(b))) {
        run.reverse();
    }
}

/// Returns whether a word keeps its neighbours of the same kind in order from left to right.
fn is_latin(text: &str) -> bool {
    !is_right_to_left(text) && text.chars().any(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_from_right_to_left_and_numbers_in_them_from_left_to_right() {
        // As they are seen: the first letter at the right end.
        assert_eq!(read_word("\u{5d2}\u{5d1}\u{5d0}"), "\u{5d0}\u{5d1}\u{5d2}");
        assert_eq!(read_word("12.5\u{5d1}\u{5d0}"), "\u{5d0}\u{5d1}12.5");
        assert_eq!(read_word("(\u{5d0}"), "\u{5d0})");
        // A mark stays behind its letter.
        assert_eq!(read_word("\u{628}\u{62d}\u{64e}"), "\u{62d}\u{64e}\u{628}");
        assert_eq!(as_seen("\u{644}\u{627}"), "\u{627}\u{644}");
        assert_eq!(as_seen("ff"), "ff");
    }

    #[test]
    fn lines_are_read_from_right_to_left_if_most_of_their_words_are() {
        let order = |seen: &[&'static str]| {
            let mut words = seen.to_vec();
            read_order(&mut words, |word| word);
            words.join(" ")
        };
        assert_eq!(order(&["2025", "\u{5d1}", "\u{5d0}"]), "\u{5d0} \u{5d1} 2025");
        assert_eq!(order(&["New", "York", "\u{5d0}", "\u{5d1}"]), "\u{5d1} \u{5d0} New York");
        assert_eq!(order(&["grade", "two"]), "grade two");
        assert_eq!(order(&["12", "13"]), "12 13");
    }
}
