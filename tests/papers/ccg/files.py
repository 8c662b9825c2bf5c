r"""A small file in the format of CCGbank, with sentences invented for these tests."""

MILL = (
    "ID=mill.1 PARSER=GOLD NUMPARSE=1\n"
    r"(<T S[dcl] 0 2> (<T S[dcl] 1 2> (<T NP 0 2> (<T NP 0 2> (<T NP 0 1> (<L N NNP NNP Ada N>) ) "
    r"(<L , , , , ,>) ) (<T NP\NP 0 2> (<T NP\NP 0 1> (<T NP 1 2> (<L NP[nb]/N DT DT the "
    r"NP[nb]_5/N_5>) (<L N NN NN miller N>) ) ) (<L , , , , ,>) ) ) (<T S[dcl]\NP 0 2> "
    r"(<L (S[dcl]\NP)/NP VBD VBD ground (S[dcl]\NP_1)/NP_2>) (<T NP 0 1> (<T N 0 2> "
    r"(<L N NN NN rye N>) (<T N[conj] 1 2> (<L conj CC CC and conj>) (<L N NNS NNS oats N>) ) ) ) "
    ") ) (<L . . . . .>) ) \n"
)
"""*Ada, the miller, ground rye and oats.*"""

RAIN = (
    "ID=mill.2 PARSER=GOLD NUMPARSE=1\n"
    r"(<T S[dcl] 1 2> (<T NP 0 1> (<L N NN NN Rain N>) ) (<T S[dcl]\NP 0 2> (<T S[dcl]\NP 0 2> "
    r"(<L (S[dcl]\NP)/(S[b]\NP) MD MD will (S[dcl]\NP_3)/(S[b]_4\NP_3:B)_4>) "
    r"(<L S[b]\NP VB VB fall S[b]\NP_6>) ) (<T (S\NP)\(S\NP) 1 2> (<L , , , , ,>) "
    r"(<T NP 0 1> (<L N NN NN gift N>) ) ) ) ) "
    "\n"
)
"""*Rain will fall, gift*, with a type change by a comma."""
