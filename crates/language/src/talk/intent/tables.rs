//! The words with which intents start.

/// Words before the actual statement.
pub const OPENERS: &[&str] = &[
    "and", "then", "so", "but", "well", "ok", "okay", "also", "now", "oh", "yeah", "yes", "no", "alright", "right",
    "all", "actually", "wait", "um", "uh", "er", "hey", "hi", "hello", "please", "or", "because", "cause", "anyway",
    "fine", "cool", "great", "good", "sure", "yep", "nope", "ah", "hmm", "first", "next", "meanwhile", "real", "quick",
    "just", "sorry", "guys", "again", "alternatively", "plus", "still", "man", "dude", "shit", "fuck", "god", "like",
    "if",
];

/// A clause starts after these even without a comma.
pub const JOINS: &[&str] = &["and", "then", "so", "but"];

/// Between a subject and its verb.
pub const ADVERBS: &[&str] = &[
    "just", "also", "quickly", "slowly", "carefully", "quietly", "gently", "immediately", "definitely", "probably",
    "then", "actually", "really", "very", "kind", "of", "kinda", "sort", "still", "now", "first", "maybe", "totally",
    "only", "sneakily", "casually", "gingerly", "simply", "basically", "quick", "go", "try", "ahead", "start", "begin",
    "continue", "fully", "literally", "subtly", "stealthily", "cautiously", "secretly", "attempt",
];

/// Questions that are only reactions.
pub const REACTIONS: &[&str] = &[
    "what", "huh", "really", "right", "yeah", "yes", "no", "eh", "hm", "hmm", "ok", "okay", "oh", "seriously",
    "wait what", "oh really", "oh yeah", "you know", "i know", "you know what", "is it", "are you", "do you", "it is",
    "you do", "oh you do", "you are", "they are", "he is", "she is", "we are", "we did", "you did", "he did",
    "she did", "it does", "he does", "she does", "i did", "i do", "i am", "what the fuck", "what the hell",
    "what the heck", "what the", "the fuck", "the what", "a what", "you what", "isn't it", "wasn't it", "don't you",
    "aren't you", "didn't you", "wouldn't you", "no really", "all right", "alright", "oh no", "oh my god", "oh god",
    "i'm sorry", "sorry", "pardon", "excuse me", "say what", "for real", "are you serious", "are you kidding",
    "are you kidding me", "are you fucking kidding me", "you kidding", "how dare you", "who knows", "who cares",
    "why not", "so what", "what what", "wait", "hello", "hey", "yay", "ready", "good", "cool", "nice", "see",
    "come on", "is that right", "is that so", "that's it", "that's it then",
];

/// Verbs after "can you" in a question about ability.
pub const PERCEIVES: &[&str] =
    &["see", "hear", "feel", "believe", "imagine", "understand", "remember", "even", "not", "guess"];

pub const SOMEBODY: &[&str] = &["you", "someone", "anyone", "somebody", "anybody", "ya", "u", "y'all", "one", "some1"];

/// Not acts: wanted or expected, but not done.
pub const STATES: &[&str] = &[
    "be", "die", "need", "have", "never", "not", "always", "cry", "puke", "vomit", "regret", "hate", "love", "miss",
    "like", "believe", "guess", "admit", "assume", "bet", "imagine", "remember", "forget", "feel", "think", "lose",
    "say", "throw", "end", "get", "happen", "sound", "seem", "want", "hope", "kill", "murder", "enjoy", "live",
];

/// States in general, acts with these words.
pub const ACTS_WITH: &[[&str; 2]] = &[
    ["have", "to"],
    ["be", "looking"],
    ["be", "watching"],
    ["be", "keeping"],
    ["throw", "a"],
    ["throw", "the"],
    ["throw", "my"],
    ["throw", "it"],
    ["throw", "this"],
    ["throw", "another"],
    ["get", "up"],
    ["get", "the"],
    ["get", "my"],
    ["get", "a"],
    ["get", "in"],
    ["get", "on"],
    ["get", "out"],
    ["get", "behind"],
    ["get", "close"],
    ["get", "closer"],
    ["get", "as"],
    ["get", "down"],
    ["get", "off"],
    ["get", "into"],
    ["get", "to"],
    ["say", "to"],
    ["end", "my"],
    ["think", "about"],
];

/// Announced acts, in the present tense.
pub const ACTS: &[&str] = &[
    "cast", "attack", "use", "open", "close", "walk", "go", "run", "look", "search", "grab", "take", "pull", "draw",
    "move", "climb", "jump", "push", "hide", "sneak", "throw", "shoot", "fire", "swing", "hit", "hold", "put", "pick",
    "read", "drink", "eat", "turn", "touch", "check", "listen", "follow", "give", "hand", "ask", "tell", "drop",
    "reach", "step", "fly", "lean", "bring", "sit", "stand", "slap", "pop", "knock", "shout", "pat", "stick", "sing",
    "show", "slide", "bow", "pour", "lift", "cover", "toss", "point", "wave", "head", "yell", "stop", "shove", "flip",
    "light", "shake", "float", "release", "write", "catch", "approach", "raise", "kneel", "wake", "nudge", "punch",
    "tug", "send", "yank", "peek", "join", "rush", "land", "smack", "dig", "wander", "squeeze", "scoop", "motion",
    "tuck", "leap", "pay", "rage", "heal", "kiss", "pace", "lead", "poke", "grasp", "reload", "hug", "rest", "kick",
    "offer", "spin", "set", "place", "watch", "inspect", "examine", "investigate", "study", "scan", "cut", "tie",
    "untie", "break", "smash", "block", "dodge", "dash", "disengage", "charge", "retreat", "return", "leave", "enter",
    "call", "whisper", "signal", "gesture", "nod", "crawl", "creep", "swim", "dive", "ride", "mount", "hop", "stab",
    "slash", "aim", "inspire", "bless", "summon", "teleport", "dispel", "detect", "identify", "attune", "equip",
    "loot", "steal", "pick", "unlock", "lock", "buy", "sell", "trade", "fill", "empty", "clean", "wash", "burn",
    "drag", "carry", "roll", "wrap", "press", "feed", "stay", "keep", "wait", "speak", "say", "talk", "back", "duck",
    "crouch", "bolt", "saunter", "scuttle", "stealth", "assist", "help", "guide", "protect", "meet", "visit", "finish",
    "let", "try", "start",
];

/// Like acts, but without consequence: statements about oneself.
pub const NOT_DOING: &[&str] = &[
    "trying", "saying", "telling", "asking", "going", "talking", "staying", "using", "letting", "helping", "starting",
    "finishing", "keeping", "waiting", "standing", "sitting", "calling", "leading", "fighting",
];

/// Imperatives, if one person works for the other.
pub const ORDERS: &[&str] = &[
    "add", "apply", "build", "bump", "change", "check", "clean", "commit", "compare", "continue", "convert", "create",
    "debug", "delete", "deploy", "describe", "do", "document", "draft", "drop", "ensure", "explain", "extract", "find",
    "finish", "fix", "format", "generate", "give", "go", "implement", "improve", "include", "increase", "install",
    "investigate", "keep", "let", "list", "look", "make", "merge", "migrate", "modify", "move", "open", "optimize",
    "proceed", "push", "put", "read", "rebase", "redo", "reduce", "refactor", "remove", "rename", "replace", "reply",
    "reproduce", "rerun", "research", "restart", "retry", "revert", "review", "revise", "rewrite", "run", "search",
    "see", "set", "show", "simplify", "split", "start", "stop", "suggest", "summarize", "switch", "take", "tell",
    "test", "translate", "try", "undo", "update", "upgrade", "use", "verify", "write",
];

/// Questions that people type without a question mark.
pub const UNMARKED: &[&str] = &[
    "how do", "how does", "how can", "how to", "how would", "how should", "how come", "how did", "how is", "how are",
    "what is", "what are", "what does", "what do", "what's the", "what should", "what would", "what was", "what can",
    "where is", "where are", "where can", "where do", "where does", "where did", "where would", "why is", "why does",
    "why do", "why can't", "why won't", "why doesn't", "why isn't", "why would", "is there", "are there", "is it",
    "is this", "is that", "is anyone", "is anybody", "is someone", "does anyone", "does anybody", "does someone",
    "does any", "do any", "do you", "do i", "did you", "have you", "are you", "does it", "does this", "does that",
    "has anyone", "has anybody", "have any", "anyone know", "anybody know", "anyone knows", "anybody knows",
    "anyone here", "anybody here", "anyone have", "anybody have", "anyone else", "anyone got", "anyone tried",
    "anyone use", "anyone using", "anyone able", "any idea", "any ideas", "any one know", "any clue", "any way to",
    "any suggestions", "any help", "any of", "any chance", "any good", "who is", "who knows", "which one", "which is",
    "which version", "when is", "when does", "when will", "should i", "will it", "would it", "whats the",
    "what version", "am i", "i wonder", "i was wondering", "i'm wondering", "im wondering", "wondering if",
    "wondering how", "question",
];

/// These ask at the start of a sentence; after a comma they continue it: "use the other one, which is newer".
pub const RELATIVE: &[&str] = &["which", "who", "when", "where"];

/// Calls for help.
pub const TROUBLES: &[&str] = &[
    "i have a problem", "i have a question", "i have a issue", "i have an issue", "i have problem", "i have problems",
    "i have some problems", "i've got a problem", "i got a problem", "i have a small problem",
    "i have a little problem", "i'm having trouble", "i'm having problems", "i'm having a problem",
    "i'm having issues", "im having trouble", "im having problems", "i am having trouble", "i am having problems",
    "i am having a problem", "having trouble", "having problems", "i can't get", "i can't seem", "i can't figure",
    "i can't find", "i cant get", "i cant seem", "i cant figure", "i cant find", "i cannot get", "i cannot find",
    "i keep getting", "i'm getting an", "i get an error", "i get this error", "i'm stuck", "im stuck", "i'm trying to",
    "im trying to", "i am trying to", "i need to", "i want to", "i would like to", "i'd like to", "i wanna",
    "trying to", "i just need to", "i just want to",
];

/// Calls for help from somebody.
pub const HELP: &[&str] = &[
    "i need help", "i need some help", "i need your help", "need help", "need some help", "help me", "help please",
    "please help", "i could use some help", "can help me", "i need you to", "i want you to", "i'd like you to",
    "i would like you to", "tell me", "tell us", "show me", "show us", "give me", "give us", "hand me", "pass me",
    "lend me", "i want to know", "i'd like to know", "i would like to know", "i want to ask", "i'd like to ask",
    "let me know", "i need to know", "describe", "remind me", "explain to me",
];

/// Ways to ask for permission.
pub const LEAVE: &[&str] = &[
    "am i able to", "are we able to", "is it possible", "would it be possible", "would i be able", "would we be able",
    "will i be able", "is there any way", "is there a way", "do you mind", "would you mind", "is it okay if",
    "is it ok if", "is it all right if", "do i have time to", "do we have time to", "mind if",
];

pub const PROPOSES: &[&str] = &[
    "shall we", "shall i", "should we", "why don't we", "why don't i", "why don't you", "how about", "what if we",
    "what if i", "what if you", "maybe we", "maybe i should", "maybe i could", "maybe i can", "maybe i'll",
    "perhaps we", "perhaps i", "we should", "we could", "we can", "we might want", "we might as well", "we need to",
    "we gotta", "we have to", "we've got to", "we got to", "we ought to", "we better", "we'd better", "do we want to",
    "do you want to", "do you wanna", "do you guys want to", "do you guys wanna", "you want to", "you wanna",
    "you guys want to", "do we wanna", "want to", "wanna", "would you like to", "would you like some",
    "would you care to", "i suggest", "i propose", "i vote", "i say we", "i recommend we", "can i suggest",
    "may i suggest", "do you want me to", "you want me to", "can we all agree", "i think we",
];

/// "Let's …" without a proposal.
pub const LETS_NOT: &[&str] = &["see", "say", "be", "face", "hope", "assume", "hear", "pretend", "call"];

/// First person, before a verb.
pub const WILLS: &[&str] = &[
    "i want to", "i wanna", "i would like to", "i'd like to", "i'd love to", "i would love to", "i'm going to",
    "i'm gonna", "i am going to", "i am gonna", "im going to", "im gonna", "i will", "i'll", "i'm about to",
    "i try to", "i attempt to", "i'm trying to", "i am trying to", "i'm attempting to", "i would", "i shall",
    "i'm just going to", "i'm just gonna", "i'm also going to", "i'm gonna try to", "we want to", "we'd like to",
    "we're going to", "we're gonna", "we are going to", "we will", "we'll", "i need to", "i get to", "i'm ready to",
    "i decide to", "i'm still going to", "i'm actually going to", "i'm probably going to", "i just want to",
    "i just wanna", "i'm going back to", "i also want to", "gonna",
];

/// Question words; "how far can I go?" is not a request.
pub const WH: &[&str] = &[
    "what", "where", "how", "why", "when", "who", "which", "whose", "what's", "where's", "how's", "who's", "if",
    "that", "think", "because",
];
