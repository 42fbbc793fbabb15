//! One criterion or group, and all that covers each criterion of the list in `mod.rs`.

use super::rule::{Constant, Costly, Looked, Progress, Properties, Rule};
use super::{Criterion, Doubt, Ground, Overtakes, group};
use serde_json::Value;

/// Re-exports the criteria of the list, and makes the enum and all that covers each of them.
macro_rules! criteria {
    ($($Name:ident($file:ident::$Type:ident)),+ $(,)?) => {
        $(pub use $file::$Type;)+

        /// One reason to stop, as a key of `stop` or as a member of a group.
        #[derive(Debug, Clone)]
        pub enum Criterion {
            $(#[doc = concat!("See [`", stringify!($Type), "`].")] $Name($Type),)+
            /// Holds when one of these does.
            Any(Vec<Criterion>),
            /// Holds when all of these do.
            All(Vec<Criterion>),
        }

        /// The keys of `stop` that are not groups.
        static KEYS: &[Key] = &[$($Type::KEY),+];
        /// Like `KEYS`, for elements of groups.
        static KEYS_IN_GROUPS: &[Key] = &[$($Type::IN_GROUP),+];

        /// Every reason that a criterion with a fixed name gives, and whether it is that of a limit of candidates.
        pub fn reasons() -> impl Iterator<Item = (&'static str, bool)> {
            [$(($Type::REASON, $Type::IS_LIMIT)),+].into_iter()
        }

        /// The keys of `stop` that mean nothing where no correction is made.
        pub fn keys_about_corrections() -> impl Iterator<Item = &'static str> {
            let criteria = [$(($Type::KEY.name, !$Type::IS_LIMIT && !$Type::BOUNDS_CALLS)),+].into_iter();
            criteria.filter(|(_, is)| *is).map(|(key, _)| key).chain([group::ANY.name, group::ALL.name])
        }

        /// Reads the value under a key of `stop`.
        fn read(key: &str, node: &Node, problems: &mut Problems) -> Vec<Criterion> {
            $(if key == $Type::KEY.name {
                return $Type::read(node, problems).into_iter().map(Criterion::$Name).collect();
            })+
            Vec::new()
        }

        /// Reads the value under a key in an element of a group; `None` when there is no such key.
        fn read_in_group(key: &str, node: &Node, problems: &mut Problems) -> Option<Option<Criterion>> {
            $(if key == $Type::KEY.name {
                return Some($Type::read_in_group(node, problems).map(Criterion::$Name));
            })+
            None
        }

        /// Words for the line of a criterion that ended a run; `None` for a line that is not a criterion's.
        #[must_use]
        pub fn ended(line: &EndingLine<'_>) -> Option<String> {
            let (key, _) = line.key_and_part();
            $(if key == $Type::KEY.name {
                return Some($Type::ended(line));
            })+
            None
        }

        impl Criterion {
            /// The criterion, unless it is a group.
            #[must_use]
            pub fn rule(&self) -> Option<&dyn Rule> {
                match self {
                    $(Criterion::$Name(criterion) => Some(criterion),)+
                    Criterion::Any(_) | Criterion::All(_) => None,
                }
            }

            /// Returns whether it limits the number of candidates.
            #[must_use]
            pub fn is_limit(&self) -> bool {
                match self {
                    $(Criterion::$Name(_) => $Type::IS_LIMIT,)+
                    Criterion::Any(_) | Criterion::All(_) => false,
                }
            }

            /// Its kind, for callers that need to distinguish only groups.
            #[must_use]
            pub fn kind(&self) -> Kind<'_> {
                match self {
                    $(Criterion::$Name(criterion) => Kind::Rule(criterion),)+
                    Criterion::Any(members) => Kind::Any(members),
                    Criterion::All(members) => Kind::All(members),
                }
            }

            /// Its key in YAML.
            #[must_use]
            pub fn key(&self) -> &'static str {
                match self {
                    $(Criterion::$Name(_) => $Type::KEY.name,)+
                    Criterion::Any(_) => group::ANY.name,
                    Criterion::All(_) => group::ALL.name,
                }
            }

            /// Its reason, if that is one fixed word; empty for a group.
            #[must_use]
            pub fn fixed_reason(&self) -> &'static str {
                match self {
                    $(Criterion::$Name(_) => $Type::REASON,)+
                    Criterion::Any(_) | Criterion::All(_) => "",
                }
            }

            /// Returns whether it is evaluated before a rollback is settled.
            #[must_use]
            pub fn is_before_rollback(&self) -> bool {
                match self {
                    $(Criterion::$Name(_) => $Type::BEFORE_ROLLBACK,)+
                    Criterion::Any(_) | Criterion::All(_) => false,
                }
            }

            /// Its position in the order.
            fn rank(&self) -> usize {
                KEYS.iter().position(|key| key.name == self.key()).unwrap_or_else(|| {
                    KEYS.len() + usize::from(matches!(self, Criterion::All(_)))
                })
            }
        }
    };
}

pub(super) use criteria;

/// A criterion as one that inspects the run itself, or as a group of such.
#[derive(Clone, Copy)]
pub enum Kind<'c> {
    /// One that inspects the run.
    Rule(&'c dyn Rule),
    /// A group that holds when one of these does.
    Any(&'c [Criterion]),
    /// A group that holds when all of these do.
    All(&'c [Criterion]),
}

impl Criterion {
    /// Its reason in results; empty for a group, whose reason depends on the run.
    #[must_use]
    pub fn reason(&self) -> String {
        let own = self.rule().and_then(Rule::named);
        own.map_or_else(|| self.fixed_reason().to_owned(), |name| name.replacen('.', ":", 1))
    }

    /// Its key, with the name of what is below it: `script.plateau`.
    #[must_use]
    pub fn place(&self) -> String {
        self.rule().and_then(Rule::named).unwrap_or_else(|| self.key().to_owned())
    }

    /// The members of a group.
    #[must_use]
    pub fn members(&self) -> &[Criterion] {
        match self.kind() {
            Kind::Any(members) | Kind::All(members) => members,
            Kind::Rule(_) => &[],
        }
    }

    /// Evaluates the run; a group is evaluated by the caller that walks through it.
    #[must_use]
    pub fn look(&self, run: &Progress<'_>) -> Looked {
        self.rule().map(|rule| rule.look(run)).unwrap_or_default()
    }

    /// The condition under which it ends the loop, as a clause that can follow "when".
    #[must_use]
    pub fn clause(&self) -> String {
        match self.kind() {
            Kind::Any(members) => {
                format!("one of these holds: ({})", group::clause_of_all(members, "or"))
            }
            Kind::All(members) => {
                format!("all of these hold: ({})", group::clause_of_all(members, "and"))
            }
            Kind::Rule(rule) => rule.clause(),
        }
    }

    /// The least number of assessed candidates with which it can hold.
    #[must_use]
    pub fn earliest(&self) -> u64 {
        let members = self.members().iter().map(Criterion::earliest);
        match self.kind() {
            Kind::Any(_) => members.min().unwrap_or(u64::MAX),
            Kind::All(_) => members.max().unwrap_or(u64::MAX),
            Kind::Rule(rule) => rule.properties().earliest,
        }
    }

    /// The setting with which it could hold among so many candidates, as written in the profile: `window: 3`.
    #[must_use]
    pub fn fitting(&self, candidates: u64) -> Option<String> {
        let setting = self.properties()?.fitting?;
        let value = (setting.value)(candidates);
        (value >= setting.least).then(|| format!("`{}: {value}`", setting.key))
    }

    /// All constants with which it and its members compare what they inspect.
    #[must_use]
    pub fn constants(&self) -> Vec<Constant> {
        match self.kind() {
            Kind::Any(members) | Kind::All(members) => {
                members.iter().flat_map(Criterion::constants).collect()
            }
            Kind::Rule(rule) => rule.properties().constants.into_vec(),
        }
    }

    /// The costly fact that it inspects, if any.
    #[must_use]
    pub fn costly(&self) -> Option<Costly> {
        self.properties()?.costly
    }

    /// The facts about it that follow from its settings; `None` for a group.
    #[must_use]
    pub fn properties(&self) -> Option<Properties> {
        self.rule().map(Rule::properties)
    }

    /// Returns whether it can hold only where candidates are rolled back.
    #[must_use]
    pub fn needs_rollback(&self) -> bool {
        self.properties().is_some_and(|properties| properties.needs_rollback)
    }

    /// Returns whether it holds no later than `other` in every course of scores.
    #[must_use]
    pub fn overtakes(&self, other: &Criterion, ground: &Ground) -> Option<Overtakes> {
        self.rule()?.overtakes(other, ground)
    }

    /// The doubt that its settings give rise to by themselves, if any.
    #[must_use]
    pub fn doubt(&self, ground: &Ground) -> Option<Doubt> {
        self.rule()?.doubt(ground)
    }

    /// The settings that do not appear in what it sees.
    #[must_use]
    pub fn terms(&self) -> Option<Value> {
        self.rule().and_then(Rule::terms)
    }

    /// Visits it, or every member of it that is not a group.
    pub fn visit(&self, see: &mut dyn FnMut(&Criterion)) {
        match self.kind() {
            Kind::Any(members) | Kind::All(members) => {
                members.iter().for_each(|member| member.visit(see));
            }
            Kind::Rule(_) => see(self),
        }
    }
}
