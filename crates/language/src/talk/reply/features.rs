//! The features of a line as the answer to an earlier one.

use super::names::NOBODY;
use super::past::{Past, PastLine, PastSpeaker};
use super::spread::NONE;
use super::words::Shared;

/// The group of a feature; the parts of a score are summed by group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FeatureGroup {
    /// How far back.
    Gap,
    /// Who spoke when.
    Speaker,
    /// Who is spoken to.
    Mention,
    /// Who answered whom so far.
    Thread,
    /// Question and answer, greeting and thanks.
    Form,
    /// Shared words.
    Words,
    /// Features of answering nothing.
    None,
}

impl FeatureGroup {
    pub const ALL: [FeatureGroup; 7] = [
        FeatureGroup::Gap,
        FeatureGroup::Speaker,
        FeatureGroup::Mention,
        FeatureGroup::Thread,
        FeatureGroup::Form,
        FeatureGroup::Words,
        FeatureGroup::None,
    ];

    pub fn name(self) -> &'static str {
        match self {
            FeatureGroup::Gap => "gap",
            FeatureGroup::Speaker => "speaker",
            FeatureGroup::Mention => "mention",
            FeatureGroup::Thread => "thread",
            FeatureGroup::Form => "form",
            FeatureGroup::Words => "words",
            FeatureGroup::None => "none",
        }
    }
}

/// A feature's number and its value.
pub type FeatureValue = (Feature, f32);

macro_rules! features {
    ($($feature:ident $group:ident $name:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Feature { $($feature,)* }

        /// All features in order, with their groups and the names that weights files use.
        pub const FEATURES: &[(Feature, FeatureGroup, &str)] = &[$((Feature::$feature, FeatureGroup::$group, $name),)*];
    };
}

features! {
    Gap1 Gap "1 back",
    Gap2 Gap "2 back",
    Gap3 Gap "3 back",
    Gap5 Gap "4 or 5 back",
    Gap8 Gap "6 to 8 back",
    Gap15 Gap "9 to 15 back",
    Gap30 Gap "16 to 30 back",
    GapMore Gap "more than 30 back",
    GapLog Gap "log of lines back",
    GapLogSame Gap "log of lines back, mine",
    GapLogAddressed Gap "log of lines back, I name the speaker",
    GapLogToMe Gap "log of lines back, it speaks to me",

    SameSpeaker Speaker "same speaker",
    SameLatest Speaker "same speaker, my latest",
    SameBurst Speaker "same speaker, nobody between",
    OtherNearest Speaker "nearest by another",
    SinceMine Speaker "said since my latest",
    OtherBurst Speaker "the other went on after it",
    SameSpokenTo Speaker "mine, spoken to since",

    Addressed Mention "I address the speaker",
    AddressedLatest Mention "I address the speaker, latest",
    AddressedSecond Mention "I address the speaker, latest but one",
    Mentioned Mention "I mention the speaker",
    MentionedLatest Mention "I mention the speaker, latest",
    AddressesOther Mention "I address another",
    AddressesOtherSame Mention "I address another, it is mine",
    ToMe Mention "it addresses me",
    ToMeLatest Mention "it addresses me, latest",
    ToMeSinceMine Mention "it addresses me, since my latest",
    MentionsMe Mention "it mentions me",
    ToOther Mention "it addresses another",
    SameTargetMine Mention "mine, to the one I address",
    SameTargetOther Mention "another's, to the one I address",
    NoTargetToOther Mention "it addresses another, I address nobody",
    SameTargetSilent Mention "mine, to the one I address, silent since",
    AddressedQuestion Mention "I address the speaker, a question",

    RepliesToMe Thread "it answers me",
    RepliesToMeSinceMine Thread "it answers me, since my latest",
    PartnerLatest Thread "by whom I answered last, latest",
    MyThread Thread "in my thread",
    Answered Thread "others answered it",
    AnsweredByMe Thread "I answered it",
    AddressedRepliesToMe Thread "I address the speaker, it answers me",
    SameTargetPartner Thread "mine, to whom my latest answered",
    MyLatestAnswers Thread "my latest answers it",
    Unanswered Thread "a question nobody answered",
    WithOther Thread "its speaker speaks with another",
    SameAnswered Thread "mine, others answered it",
    TheirPartner Thread "I am whom its speaker spoke with last",
    AddressedAnswered Thread "I address the speaker, others answered it",

    QuestionAnswer Form "a question, I do not ask",
    YesNo Form "yes or no asked and said",
    ThanksNoQuestion Form "I thank, no question",
    TakesInNoQuestion Form "I take in, no question",
    GoesOnSame Form "I go on, mine",
    BothGreet Form "both greet",
    QuestionSame Form "my own question",
    ItShort Form "short",
    ItTakesIn Form "it takes in or thanks",

    Contained Words "share of my words",
    ContainedAddressed Words "share of my words, I name the speaker",
    ContainedSame Words "share of my words, mine",
    Containing Words "share of its words",
    SharedWeight Words "rarity of shared words",
    ItSaysNamed Words "how much it says, I name the speaker",
    SharedRare Words "rare words shared",

    NoneAlways None "none",
    NoneNew None "none, new speaker",
    NoneNewAsks None "none, new speaker, I ask",
    NoneAddress None "none, I address one who spoke",
    NoneAddressAway None "none, I address one who did not",
    NoneQuestion None "none, I ask",
    NoneGreeting None "none, I greet",
    NoneThanks None "none, I thank",
    NoneAnswer None "none, I say yes or no or take in",
    NoneShort None "none, short",
    NoneGoesOn None "none, I go on",
    NoneToMe None "none, I was addressed",
    NoneMineNear None "none, my latest is near",
    NoneUnknownWords None "none, share of my words nobody said",
}

impl Feature {
    pub const COUNT: usize = FEATURES.len();
}

/// The line whose parent is searched, with its properties.
pub(super) struct Child<'a> {
    pub said: &'a PastLine,
    pub me: PastSpeaker,
    /// The speaker's latest line, if it is in the window.
    pub mine: Option<&'a PastLine>,
    /// The position of the nearest line by another speaker.
    pub nearest_other: u32,
    /// Starts with the name of somebody who is absent.
    pub calls_unknown: bool,
}

pub(super) fn of_none(past: &Past, child: &Child<'_>, most_shared: f32, out: &mut Vec<FeatureValue>) {
    let PastLine { to, form, weight, turn, .. } = *child.said;
    let Child { me, mine, .. } = *child;
    let mut is = |condition: bool, feature| {
        if condition {
            out.push((feature, 1.0));
        }
    };
    is(true, Feature::NoneAlways);
    is(mine.is_none(), Feature::NoneNew);
    is(mine.is_none() && form.question, Feature::NoneNewAsks);
    is(to != NOBODY, Feature::NoneAddress);
    is(to == NOBODY && child.calls_unknown, Feature::NoneAddressAway);
    is(form.question, Feature::NoneQuestion);
    is(form.greeting, Feature::NoneGreeting);
    is(form.thanks, Feature::NoneThanks);
    is(form.yes_no || form.takes_in, Feature::NoneAnswer);
    is(form.short, Feature::NoneShort);
    is(form.goes_on, Feature::NoneGoesOn);
    is(past.get(me.addressed).is_some() && (mine.is_none() || me.addressed > me.latest), Feature::NoneToMe);
    is(mine.is_some_and(|mine| turn - mine.turn <= 8), Feature::NoneMineNear);
    if weight > 0.0 {
        out.push((Feature::NoneUnknownWords, 1.0 - (most_shared / weight).min(1.0)));
    }
}

pub(super) fn of_parent(
    past: &Past,
    child: &Child<'_>,
    at: u32,
    parent: &PastLine,
    shared: Shared,
    out: &mut Vec<FeatureValue>,
) {
    let Child { said, me, mine, .. } = *child;
    let mut is = |condition: bool, feature| {
        if condition {
            out.push((feature, 1.0));
        }
    };
    let other = past.speaker(parent.speaker);
    let same = said.speaker == parent.speaker;
    let since_mine = !same && (mine.is_none() || at > me.latest);

    let gap = said.turn - parent.turn;
    is(
        true,
        match gap {
            0..=1 => Feature::Gap1,
            2 => Feature::Gap2,
            3 => Feature::Gap3,
            4..=5 => Feature::Gap5,
            6..=8 => Feature::Gap8,
            9..=15 => Feature::Gap15,
            16..=30 => Feature::Gap30,
            _ => Feature::GapMore,
        },
    );

    let latest = at == other.latest;
    is(same, Feature::SameSpeaker);
    is(same && latest, Feature::SameLatest);
    is(same && gap == 1, Feature::SameBurst);
    is(!same && at == child.nearest_other, Feature::OtherNearest);
    is(since_mine, Feature::SinceMine);
    is(!same && parent.went_on, Feature::OtherBurst);
    is(same && me.spoken_to != NONE && me.spoken_to > at, Feature::SameSpokenTo);

    let addresses = said.to != NOBODY && said.to == parent.speaker;
    let mentions = !addresses && said.mentions.contains(&parent.speaker);
    let to_me = parent.to == said.speaker;
    let to_other = parent.to != NOBODY && !to_me && !same;
    is(addresses, Feature::Addressed);
    is(addresses && latest, Feature::AddressedLatest);
    is(addresses && at == other.second, Feature::AddressedSecond);
    is(mentions, Feature::Mentioned);
    is(mentions && latest, Feature::MentionedLatest);
    is(said.to != NOBODY && !addresses && !same, Feature::AddressesOther);
    is(said.to != NOBODY && same, Feature::AddressesOtherSame);
    is(to_me, Feature::ToMe);
    is(to_me && at == me.addressed, Feature::ToMeLatest);
    is(to_me && since_mine, Feature::ToMeSinceMine);
    is(!to_me && parent.mentions.contains(&said.speaker), Feature::MentionsMe);
    is(to_other, Feature::ToOther);
    let same_target = said.to != NOBODY && said.to == parent.to;
    is(same_target && same, Feature::SameTargetMine);
    is(same_target && !same, Feature::SameTargetOther);
    is(to_other && said.to == NOBODY, Feature::NoTargetToOther);
    is(same_target && same && latest && past.speaker(said.to).latest <= at, Feature::SameTargetSilent);
    let names = addresses || mentions;
    is(names && parent.form.question, Feature::AddressedQuestion);

    let replies_to_me = !same && parent.answers == said.speaker;
    let partner = mine.map_or(NOBODY, |mine| mine.partner);
    let is_partner = !same && partner == parent.speaker;
    let my_thread = mine.is_some_and(|mine| mine.root == parent.root);
    is(replies_to_me, Feature::RepliesToMe);
    is(replies_to_me && since_mine, Feature::RepliesToMeSinceMine);
    is(is_partner && latest, Feature::PartnerLatest);
    is(my_thread, Feature::MyThread);
    is(parent.answered && !same, Feature::Answered);
    is(!same && parent.answered_by == said.speaker, Feature::AnsweredByMe);
    is(addresses && replies_to_me, Feature::AddressedRepliesToMe);
    is(same && said.to != NOBODY && said.to == parent.partner, Feature::SameTargetPartner);
    let answers_it = !same && mine.is_some_and(|mine| mine.parent == at);
    is(answers_it, Feature::MyLatestAnswers);
    let open = !same && parent.form.question && !parent.answered;
    is(open, Feature::Unanswered);
    let with_other = !same && !to_other && parent.partner != NOBODY && parent.partner != said.speaker;
    is(with_other, Feature::WithOther);
    is(same && parent.answered, Feature::SameAnswered);
    is(!same && past.get(other.latest).is_some_and(|latest| latest.partner == said.speaker), Feature::TheirPartner);
    is(names && parent.answered, Feature::AddressedAnswered);

    let (mine_form, its) = (said.form, parent.form);
    is(!same && its.question && !mine_form.question, Feature::QuestionAnswer);
    is(!same && its.yes_no_question && mine_form.yes_no, Feature::YesNo);
    is(!same && mine_form.thanks && !its.question, Feature::ThanksNoQuestion);
    is(!same && mine_form.takes_in && !its.question, Feature::TakesInNoQuestion);
    is(same && mine_form.goes_on, Feature::GoesOnSame);
    is(!same && mine_form.greeting && its.greeting, Feature::BothGreet);
    is(same && its.question, Feature::QuestionSame);
    is(!same && its.short, Feature::ItShort);
    is(!same && (its.takes_in || its.thanks), Feature::ItTakesIn);

    let far = (gap as f32).ln();
    out.push((Feature::GapLog, far));
    if same {
        out.push((Feature::GapLogSame, far));
    }
    if names {
        out.push((Feature::GapLogAddressed, far));
    }
    if to_me || replies_to_me {
        out.push((Feature::GapLogToMe, far));
    }
    let says = (1.0 + parent.weight).ln() / 3.0;
    if names {
        out.push((Feature::ItSaysNamed, says));
    }
    if shared.weight > 0.0 {
        out.push((Feature::Contained, shared.weight / said.weight.max(1.0)));
        let share = shared.weight / said.weight.max(1.0);
        if names {
            out.push((Feature::ContainedAddressed, share));
        }
        if same {
            out.push((Feature::ContainedSame, share));
        }
        out.push((Feature::Containing, shared.weight / parent.weight.max(shared.weight).max(1.0)));
        out.push((Feature::SharedWeight, shared.weight.min(20.0) / 10.0));
        if shared.rare > 0 {
            out.push((Feature::SharedRare, shared.rare.min(3) as f32 / 3.0));
        }
    }
}
