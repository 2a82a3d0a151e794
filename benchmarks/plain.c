/* Cribbage in plain C, as a measure of what the same work costs compiled.
 *
 * A card is 4 * rank + suit, a hand four cards and the starter, one hand after another.
 */

#include <stdint.h>
#include <string.h>

static int count_ranks(const uint8_t *ranks)
{
    int pips[5], held[13] = {0}, points = 0;

    for (int i = 0; i < 5; i++) {
        pips[i] = ranks[i] < 9 ? ranks[i] + 1 : 10;
        held[ranks[i]]++;
    }
    for (int chosen = 1; chosen < 32; chosen++) {
        int sum = 0;
        for (int i = 0; i < 5; i++)
            sum += chosen >> i & 1 ? pips[i] : 0;
        points += sum == 15 ? 2 : 0;
    }
    for (int rank = 0, length = 0, ways = 1; rank <= 13; rank++) {
        int many = rank < 13 ? held[rank] : 0;
        if (many) {
            points += many * (many - 1);
            length++;
            ways *= many;
        } else {
            points += length >= 3 ? length * ways : 0;
            length = 0;
            ways = 1;
        }
    }
    return points;
}

static int count_suits(const uint8_t *hand, int crib)
{
    const int starter = hand[4] & 3, flush = ((hand[0] ^ hand[1]) | (hand[0] ^ hand[2]) | (hand[0] ^ hand[3])) & 3;
    int points = 0;

    if (!flush)
        points = (hand[0] & 3) == starter ? 5 : crib ? 0 : 4;
    for (int i = 0; i < 4; i++)
        points += hand[i] == 40 + starter;
    return points;
}

void count_hands(const uint8_t *hands, int64_t number, int crib, uint8_t *points)
{
    for (int64_t n = 0; n < number; n++, hands += 5) {
        uint8_t ranks[5];
        for (int i = 0; i < 5; i++)
            ranks[i] = hands[i] >> 2;
        points[n] = (uint8_t)(count_ranks(ranks) + count_suits(hands, crib));
    }
}

static uint8_t table[13 * 13 * 13 * 13 * 13];

void make_table(void)
{
    for (int place = 0; place < (int)sizeof table; place++) {
        uint8_t ranks[5];
        for (int i = 0, rest = place; i < 5; i++, rest /= 13)
            ranks[i] = (uint8_t)(rest % 13);
        table[place] = (uint8_t)count_ranks(ranks);
    }
}

static inline int look_up(const uint8_t *hand, int crib)
{
    int place = 0;
    for (int i = 0; i < 5; i++)
        place = 13 * place + (hand[i] >> 2);
    return table[place] + count_suits(hand, crib);
}

void look_hands_up(const uint8_t *hands, int64_t number, int crib, uint8_t *points)
{
    for (int64_t n = 0; n < number; n++, hands += 5)
        points[n] = (uint8_t)look_up(hands, crib);
}

/* The cards that are not in the deal, ascending. */
static void find_unseen(const uint8_t *deal, uint8_t *unseen)
{
    int found = 0;
    for (uint8_t card = 0; card < 52; card++)
        if (!memchr(deal, card, 6))
            unseen[found++] = card;
}

/* Average hands and cribs of the 15 keeps of a deal; the crib has the weights of (pair, starter). */
void average_deal(const uint8_t *deal, const int64_t *weights, double *hand_mean, double *crib_mean)
{
    uint8_t unseen[46], hand[5], crib[5];
    int keep = 14;

    find_unseen(deal, unseen);
    for (int x = 0; x < 6; x++)
        for (int y = x + 1; y < 6; y++, keep--) {
            int64_t sum = 0, weight = 0, in_hand = 0;
            for (int i = 0, n = 0; i < 6; i++)
                if (i != x && i != y)
                    hand[n++] = deal[i];
            crib[0] = deal[x];
            crib[1] = deal[y];
            for (int starter = 0; starter < 46; starter++) {
                const int64_t *of_pair = weights + starter;
                hand[4] = crib[4] = unseen[starter];
                in_hand += look_up(hand, 0);
                for (int a = 0; a < 46; a++)
                    for (int b = a + 1; b < 46; b++, of_pair += 46) {
                        crib[2] = unseen[a];
                        crib[3] = unseen[b];
                        sum += *of_pair * look_up(crib, 1);
                        weight += *of_pair;
                    }
            }
            hand_mean[keep] = (double)in_hand / 46.0;
            crib_mean[keep] = (double)sum / (double)weight;
        }
}

/* How many hands of the opponent discard each pair and leave each starter, (1035, 46), in parts of a
 * hand. The strategy has for every deal, in colexicographic order, which set of keeps is discarded alike;
 * a set is a number of 15 bits. */
void count_discards(const uint8_t *deal, const uint8_t *strategy, const uint16_t *sets, int64_t number,
                  int32_t parts, int64_t *weights)
{
    static int32_t held[46 * 46][46];
    uint8_t unseen[46], discards[256][15][2];
    int32_t binomials[7][46], of[256], share[256];
    int h[6];

    find_unseen(deal, unseen);
    for (int set = 0; set < number; set++) {
        int keep = 14;
        of[set] = 0;
        for (uint8_t x = 0; x < 6; x++)
            for (uint8_t y = x + 1; y < 6; y++, keep--)
                if (sets[set] >> keep & 1) {
                    discards[set][of[set]][0] = x;
                    discards[set][of[set]++][1] = y;
                }
        share[set] = of[set] ? parts / of[set] : 0;
    }
    for (int i = 0; i < 46; i++) {
        binomials[0][i] = 1;
        for (int size = 1; size < 7; size++)
            binomials[size][i] = binomials[size - 1][i] * (unseen[i] - size + 1) / size;
    }
    memset(held, 0, sizeof held);
    for (h[5] = 5; h[5] < 46; h[5]++)
    for (h[4] = 4; h[4] < h[5]; h[4]++)
    for (h[3] = 3; h[3] < h[4]; h[3]++)
    for (h[2] = 2; h[2] < h[3]; h[2]++) {
        const uint8_t *high = strategy + binomials[6][h[5]] + binomials[5][h[4]]
                              + binomials[4][h[3]] + binomials[3][h[2]];
        for (h[1] = 1; h[1] < h[2]; h[1]++)
        for (h[0] = 0; h[0] < h[1]; h[0]++) {
            uint8_t set = high[binomials[2][h[1]] + binomials[1][h[0]]];
            const uint8_t (*discarded)[2] = discards[set];
            for (int n = of[set]; n > 0; n--, discarded++) {
                int32_t *of_pair = held[46 * h[(*discarded)[0]] + h[(*discarded)[1]]];
                for (int i = 0; i < 6; i++)
                    of_pair[h[i]] += share[set];
            }
        }
    }
    for (int a = 0; a < 46; a++)
        for (int b = a + 1; b < 46; b++, weights += 46)
            for (int starter = 0; starter < 46; starter++)  /* the first card discarded tells how many */
                weights[starter] = held[46 * a + b][a] - held[46 * a + b][starter];
}
