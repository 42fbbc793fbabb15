//! The meaning of points, commas and blanks within a number: `1,234` is a thousand and more where a text writes `0.5`,
//! and one and a bit where it writes `0,5`.

/// A sign between digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    Point,
    Comma,
    /// The point that some journals print in the middle of the line, which is always a decimal one.
    MiddlePoint,
    /// A blank as typed, which may also be between two numbers.
    Blank,
    /// A blank of another width, or an apostrophe: never between two numbers.
    Group(char),
}

impl Separator {
    pub(super) fn of(character: char) -> Option<Self> {
        Some(match character {
            '.' => Separator::Point,
            ',' => Separator::Comma,
            '·' | '‧' | '∙' | '⋅' | '•' => Separator::MiddlePoint,
            ' ' => Separator::Blank,
            '\'' | '’' | '\u{a0}' | '\u{2009}' | '\u{202f}' | '\u{2006}' | '\u{2007}' => {
                Separator::Group(character)
            }
            _ => return None,
        })
    }

    /// Returns whether it never precedes a fraction.
    pub(super) fn only_groups(self) -> bool {
        match self {
            Separator::Blank | Separator::Group(_) => true,
            Separator::Point | Separator::Comma | Separator::MiddlePoint => false,
        }
    }
}

/// Runs of digits with the separators between them, one fewer.
#[derive(Debug, Clone, Default)]
pub(super) struct Run {
    pub(super) digits: Vec<String>,
    pub(super) separators: Vec<Separator>,
}

/// Digits before and after the decimal point.
pub(super) type Figure = (String, String);

/// The possible meanings of a run: one number, or several side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    One(Figure),
    /// Several numbers; a sign before the run belongs to the first.
    Several(Vec<Figure>),
    /// One number, or several where the text sets them apart by a blank.
    OneOrSeveral(Figure, Vec<Figure>),
    /// A version, a date, the number of a section.
    None,
}

impl Run {
    /// Returns whether the first digits and so many groups after them are written as in large numbers: `1` `234` `567`.
    fn is_grouped(&self, groups: usize) -> bool {
        let first = self.digits.first().map_or("", String::as_str);
        let rest = self.digits.get(1..=groups).unwrap_or_default();
        (1..=3).contains(&first.len()) && !first.starts_with('0') && rest.iter().all(|group| group.len() == 3)
    }

    /// Returns whether it is written as in India: `1,20,000`.
    fn is_grouped_by_twos(&self) -> bool {
        let Some((last, [first, groups @ ..])) = self.digits.split_last() else { return false };
        let is_group = |digits: &String| digits.len() == 2;
        last.len() == 3
            && (1..=2).contains(&first.len())
            && !first.starts_with('0')
            && groups.iter().all(is_group)
    }

    fn joined(&self, count: usize) -> String {
        self.digits.iter().take(count).map(String::as_str).collect()
    }

    fn whole(digits: &str) -> Figure {
        (digits.to_owned(), String::new())
    }

    /// The numbers between commas, each with a point at most.
    fn between_commas(&self) -> Meaning {
        let mut figures: Vec<Figure> = Vec::new();
        let mut points = 0;
        for (at, digits) in self.digits.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|before| self.separators.get(before));
            match (before, figures.last_mut()) {
                (None | Some(Separator::Comma), _) | (_, None) => {
                    points = 0;
                    figures.push(Run::whole(digits));
                }
                (Some(Separator::Point | Separator::MiddlePoint), Some((_, fraction))) if points == 0 => {
                    points = 1;
                    digits.clone_into(fraction);
                }
                _ => return Meaning::None,
            }
        }
        Meaning::Several(figures)
    }

    /// The evidence of how the text writes fractions: `Some(true)` for a comma.
    pub(super) fn shows_comma(&self) -> Option<bool> {
        let (first, last) = (self.digits.first()?, self.digits.last()?);
        match self.separators.as_slice() {
            [one @ (Separator::Point | Separator::Comma)] if last.len() != 3 || first.starts_with('0') => {
                Some(*one == Separator::Comma)
            }
            [one @ (Separator::Point | Separator::Comma), more @ ..]
                if !more.is_empty()
                    && more.iter().all(|other| other == one)
                    && self.is_grouped(more.len() + 1) =>
            {
                Some(*one == Separator::Point)
            }
            _ => None,
        }
    }

    /// Its meaning in a text that writes fractions with a comma, or with a point.
    pub(super) fn meaning(&self, decimal_comma: bool) -> Meaning {
        let count = self.digits.len();
        let last = self.digits.last().map_or("", String::as_str);
        let Some((end, groups)) = self.separators.split_last() else {
            return Meaning::One(Run::whole(last));
        };
        let is_uniform = groups.windows(2).all(|pair| pair.first() == pair.last());
        let all_alike = is_uniform && groups.first().is_none_or(|one| one == end);
        let number = || Meaning::One((self.joined(count - 1), last.to_owned()));
        let together = self.joined(count);
        if all_alike && end.only_groups() {
            return match end {
                Separator::Blank => {
                    let apart = self.digits.iter().map(|digits| Run::whole(digits)).collect();
                    Meaning::OneOrSeveral(Run::whole(&together), apart)
                }
                _ => Meaning::One(Run::whole(&together)),
            };
        }
        let is_before = is_uniform && (groups.is_empty() || self.is_grouped(groups.len()));
        match end {
            Separator::MiddlePoint if is_before && !groups.contains(end) => number(),
            Separator::Point | Separator::Comma if groups.is_empty() => {
                let is_comma = *end == Separator::Comma;
                let could_group = self.is_grouped(1);
                let leads = self.digits.first().is_some_and(|first| first == "0" || first.is_empty());
                match (is_comma, decimal_comma) {
                    (true, false) if could_group => Meaning::One(Run::whole(&together)),
                    // No one lists a zero.
                    (true, false) if !leads => self.between_commas(),
                    (false, true) if could_group => Meaning::One(Run::whole(&together)),
                    _ => number(),
                }
            }
            Separator::Point | Separator::Comma if all_alike => match end {
                _ if self.is_grouped(count - 1) => Meaning::One(Run::whole(&together)),
                Separator::Comma => match self.between_commas() {
                    Meaning::Several(apart) if self.is_grouped_by_twos() => {
                        Meaning::OneOrSeveral(Run::whole(&together), apart)
                    }
                    apart => apart,
                },
                _ => Meaning::None,
            },
            Separator::Point | Separator::Comma if is_before && !groups.contains(end) => number(),
            _ => self.between_commas(),
        }
    }
}
