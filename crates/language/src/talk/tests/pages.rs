//! What people read: the annotated transcript and the numbers.

use expect_test::{Expect, expect};

use super::*;

const TRANSCRIPT: &str = "Ann: I open the chest.
    Bo: I listen at the door.
    Cy: Is it *locked*?
    DM: The lid creaks.
    Ann: ((tea?))
    Bo: ((yes))
    DM: [sighs]
    Cy: Let's go.";

fn page(detail: Detail, expected: Expect) {
    let lines = read(TRANSCRIPT);
    let mut page = String::new();
    annotate(&lines, &linked(&lines, &LinkOptions::default()), detail, &mut page).expect("a page");
    expected.assert_eq(&page);
}

#[test]
fn causes_and_effects_are_in_place() {
    page(
        Detail::Links,
        expect![[r#"
        # test

        8 lines, 3 of them excluded; 4 intents, 2 answered.
        Kernel seed 1; DM answers.

        **0** **Ann:** I open the chest.  
            → strong declare, answered by 3 (0.92, dm_statement)  

        **1** **Bo:** I listen at the door.  
            → strong declare, never answered  

        **2** **Cy:** Is it \*locked\*?  
            → weak question, answered by 3 (0.82, dm_statement)  

        **3** **DM:** The lid creaks.  
            ← answers 0 (Ann), 2 (Cy)  

        > lines 4 to 5 excluded (ooc_hard): 2 lines

        > line 6 excluded (noise): \[sighs\]

        **7** **Cy:** Let's go.  
            → strong propose, never answered  

    "#]],
    );
}

#[test]
fn dense_says_why() {
    page(
        Detail::Dense,
        expect![[r#"
        # test

        8 lines, 3 of them excluded; 4 intents, 2 answered.
        Kernel seed 1; DM answers.

        **0** **Ann:** I open the chest.  
            → strong declare, answered by 3 (0.92, dm_statement)  
            - 3: 0.924 = distance 0.82, lexical 0.25, answer_boost 0.00 (d1, 3 on) won  

        **1** **Bo:** I listen at the door.  
            → strong declare, never answered  
            - 3: 0.903 = distance 0.82, lexical 0.20, answer_boost 0.00 (d1, 2 on) taken by 0  

        **2** **Cy:** Is it \*locked\*?  
            → weak question, answered by 3 (0.82, dm_statement)  
            - 3: 0.821 = distance 0.82, lexical 0.00, answer_boost 0.00 (d1, 1 on) won  

        **3** **DM:** The lid creaks.  
            ← answers 0 (Ann), 2 (Cy)  

        > lines 4 to 5 excluded (ooc_hard): 2 lines

        > line 6 excluded (noise): \[sighs\]

        **7** **Cy:** Let's go.  
            → strong propose, never answered  
            - no candidates  

        ## Contested consequences

        - 3: 0 (strong, 0.92, has it); 1 (strong, 0.90, lost it); 2 (weak, 0.82, has it)

        ## Strong intents without an answer

        - 1 Bo (declare): I listen at the door.
        - 7 Cy (propose): Let's go.
    "#]],
    );
}

#[test]
fn numbers() {
    let lines = read(TRANSCRIPT);
    let metrics = Metrics::of(&lines, &linked(&lines, &LinkOptions::default()));
    assert_eq!((metrics.lines, metrics.excluded_lines, metrics.nearest), (8, 3, 2));
    assert_eq!(metrics.all, Rate { intents: 4, claimed: 2 });
    assert_eq!(
        metrics.by_strength,
        [("strong", Rate { intents: 3, claimed: 1 }), ("weak", Rate { intents: 1, claimed: 1 }),]
    );
    assert_eq!((metrics.distances, metrics.line_gaps, metrics.fan_out), (vec![2], vec![1, 0, 1], vec![0, 1]));
    assert_eq!(Metrics::of(&[], &Linked::default()).nearest_share(), None);
}
