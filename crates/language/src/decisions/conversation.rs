//! What did a conversation decide, about what?

use super::amendment::{Discussed, discussed};
use super::diagnosis::diagnosis;
use super::dialogue::Utterance;
use super::refusals::{Refusal, refusals};
use super::rulings::{Ruling, is_firm, rulings};
use super::subject::subject;

/// What a conversation decided.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// What it is about: a name in code, or the first words of the request.
    pub subject: String,
    /// In the order in which they were decided.
    pub rulings: Vec<Ruling>,
    pub refusals: Vec<Refusal>,
    /// What later conversations can be compared with.
    pub discussed: Discussed,
}

/// Reads a conversation; the first utterance is the request.
pub fn read(talk: &[Utterance<'_>]) -> Decisions {
    let mut rulings = rulings(talk);
    if diagnosis(talk).is_some() {
        rulings.retain(is_firm);
    }
    let discussed = discussed(talk, &rulings);
    Decisions { subject: subject(talk, &rulings), rulings, refusals: refusals(talk), discussed }
}

#[cfg(test)]
mod tests {
    use super::super::{Voice, WeighedPart, statements, still_holds};
    use super::*;

    /// Lines that begin with `>` are the person's.
    fn talk(text: &str) -> Vec<Utterance<'_>> {
        let lines = text.lines().filter(|line| !line.is_empty());
        let said = lines.map(|line| match line.strip_prefix("> ") {
            Some(text) => Utterance { speaker: Voice::Person, text },
            None => Utterance { speaker: Voice::Agent, text: line },
        });
        said.collect()
    }

    fn told(text: &str) -> Vec<String> {
        let decisions = read(&talk(text));
        let parts: Vec<WeighedPart<'_>> =
            decisions.rulings.iter().map(|ruling| WeighedPart { text: &ruling.text, weight: ruling.weight }).collect();
        statements(&decisions.subject, &parts, 280).into_iter().map(|statement| statement.text).collect()
    }

    #[test]
    fn parts_are_told_in_the_words_that_say_them_best() {
        let text = "
> the lamps in the hall stay on all night, look at switchLamps
`switchLamps` turns them off after an hour. I'd turn them off at midnight instead.
> no, not by the clock. they go off when nobody has moved for a while
OK, so by movement. How long: (a) five minutes, (b) twelve minutes?
> b
Twelve minutes without movement. Should the stairs follow the same rule?
> the stairs are never switched off automatically
Understood, the stairs are left alone.
> thanks, commit it
";
        assert_eq!(
            told(text),
            ["switchLamps: not by the clock; they go off when nobody has moved for a while; Twelve minutes without \
                 movement; the stairs are never switched off automatically"]
        );
    }

    #[test]
    fn an_accepted_recap_tells_all() {
        let text = "
> how shall `paintDoor` choose the colour
I would take the colour of the wall.
> no, the colour of the floor
The colour of the floor, then.
> and two coats
Two coats.
> can you recap that
In summary: the colour of the floor, two coats, no varnish, dry for a day.
> yes
";
        assert_eq!(told(text), ["paintDoor: the colour of the floor; two coats; no varnish; dry for a day"]);
    }

    #[test]
    fn what_was_refused_is_known() {
        let text = "
> how shall `paintDoor` choose the colour
I would always take the colour of the wall.
> no, the colour of the floor, walls are repainted too often
";
        let talk = talk(text);
        let refusals = read(&talk).refusals;
        let proposals: Vec<&str> = refusals
            .iter()
            .map(|refusal| &talk[refusal.proposal.message].text[refusal.proposal.range.clone()])
            .collect();
        assert_eq!(proposals, ["I would always take the colour of the wall"]);
    }

    #[test]
    fn small_talk_decides_nothing() {
        let text = "
> what does paintDoor do
It paints the door.
> ah ok, thanks
Anything else?
> why is it so slow?
Because it waits for the paint to dry.
> good point
";
        assert_eq!(told(text), Vec::<String>::new());
    }

    #[test]
    fn a_later_talk_changes_what_it_speaks_of() {
        let text = "
> the door of paintDoor looks dull
It has two coats. I could add a third one; the colour stays.
> yes, three coats then
Three coats.
";
        let discussed = read(&talk(text)).discussed;
        let mut tokenizer = crate::text::Tokenizer::new();
        assert!(!still_holds("two coats", &discussed, &mut tokenizer));
        assert!(still_holds("dry for a day", &discussed, &mut tokenizer));
    }
}
